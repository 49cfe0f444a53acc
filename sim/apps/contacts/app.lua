-- Contacts: people of the contacts provider, with search, favourites, a keypad, and a page for apps that want one picked.

AUTHORITY = "content://contacts/contacts"

function all_contacts(ctx)
  return sorted(ctx.os.providers.contacts.contacts, "displayName")
end

function contact_of(ctx, id)
  return find(ctx.os.providers.contacts.contacts, "id", id)
end

function first_number(contact)
  local phone = contact.phones[1]
  return phone and phone.number or ""
end

-- Name, any number or e-mail address holds what was typed.
function matches(contact, query)
  if contains(contact.displayName, query) then
    return true
  end
  local wanted = digits(query)
  for _, phone in ipairs(contact.phones) do
    if wanted ~= "" and contains(digits(phone.number), wanted) then
      return true
    end
  end
  for _, mail in ipairs(contact.emails) do
    if contains(mail.email, query) then
      return true
    end
  end
  return false
end

function found(ctx, starred)
  local query = trim(ctx.fields.search or "")
  return filter(all_contacts(ctx), function(contact)
    return matches(contact, query) and (contact.starred or not starred)
  end)
end

function contact_row(contact)
  return item{ id = "contact", contact.displayName, detail = first_number(contact), go = "/contact/" .. contact.id,
    purpose = "item", intent = t("open", contact.displayName) }
end

function tab_bar(here)
  return tabs{ id = "tabs",
    tab{ id = "tab_all", t("all"), go = "/", selected = here == "all", purpose = "tab" },
    tab{ id = "tab_favourites", t("favourites"), go = "/favourites", selected = here == "favourites", purpose = "tab" },
    tab{ id = "tab_keypad", t("keypad"), go = "/keypad", selected = here == "keypad", purpose = "tab" } }
end

function list_page(ctx, page, starred)
  local people = found(ctx, starred)
  return screen{ page = page, title = t("contacts"), bottom = tab_bar(starred and "favourites" or "all"),
    menu = { icon{ id = "new_contact", label = t("new"), go = "/new", purpose = "new", intent = t("new") } },
    field{ id = "search", hint = t("search"), purpose = "search" },
    map(people, contact_row),
    #people == 0 and label{ id = "empty", t("none"), pad = 48 } }
end

screens["/"] = function(ctx)
  return list_page(ctx, "contacts", false)
end

screens["/favourites"] = function(ctx)
  return list_page(ctx, "favourites", true)
end

-- ---- one contact -----------------------------------------------------------------------------------------------------

function gone(title)
  return screen{ page = "missing", title = title, back = true, label{ id = "empty", t("missing"), pad = 48 } }
end

screens["/contact/:id"] = function(ctx)
  local contact = contact_of(ctx, ctx.params.id)
  if not contact then
    return gone(t("contacts"))
  end
  local name, number = contact.displayName, first_number(contact)
  local path = "/contact/" .. contact.id
  return screen{ page = "contact", title = name, back = true, params = { id = contact.id, name = name },
    menu = {
      icon{ id = "favourite", label = contact.starred and t("remove_favourite") or t("add_favourite"),
        tap = "star", args = { id = contact.id, starred = not contact.starred }, purpose = "toggle",
        selected = contact.starred },
      icon{ id = "edit", label = t("edit"), go = path .. "/edit", purpose = "edit" },
      icon{ id = "delete", label = t("delete"), go = path .. "?dialog=delete", purpose = "delete" } },
    label{ id = "name", name, size = "large", pad = 48 },
    (contact.company or "") ~= "" and item{ id = "company", t("company"), value = contact.company },
    row{ pad = 48, gap = 48,
      button{ id = "call", t("call"), weight = 1, enabled = number ~= "", go = "/calling?number=" .. number,
        purpose = "call", intent = t("call_to", name) },
      button{ id = "message", t("message"), weight = 1, enabled = number ~= "", tap = "message",
        args = { id = contact.id }, purpose = "message", intent = t("message_to", name) } },
    map(contact.phones, function(phone)
      return item{ id = "phone", phone.number, detail = phone.label, go = "/calling?number=" .. phone.number,
        purpose = "call" }
    end),
    map(contact.emails, function(mail) return item{ id = "email", mail.email, detail = mail.label } end),
    overlay = ctx.params.dialog == "delete" and dialog{ id = "delete_dialog", page = "contact_delete", gap = 48,
      label{ id = "dialog_title", t("delete_ask", name), size = "title" },
      row{ gap = 48,
        button{ id = "cancel", t("cancel"), weight = 1, back = true, purpose = "cancel" },
        button{ id = "confirm", t("delete"), weight = 1, tap = "delete", args = { id = contact.id },
          purpose = "confirm" } } } or nil }
end

actions.star = function(ctx, args)
  call("update", { uri = AUTHORITY .. "/" .. args.id, values = { starred = args.starred } })
end

actions.message = function(ctx, args)
  local contact = contact_of(ctx, args.id)
  call("os.startActivity", { intent = { action = "ACTION_VIEW", scheme = "sms",
    data = { to = contact.displayName, number = first_number(contact) } } })
end

actions.delete = function(ctx, args)
  call("delete", { uri = AUTHORITY .. "/" .. args.id })
  back()
  back()
  toast_show(t("deleted"))
end

-- ---- new and edit ----------------------------------------------------------------------------------------------------

function form(page, title, action, contact)
  local number = contact and first_number(contact) or ""
  local mail = contact and contact.emails[1] and contact.emails[1].email or ""
  return screen{ page = page, title = title, back = true, pad = 48, gap = 36,
    menu = { button{ id = "save", t("save"), tap = action, purpose = "submit" } },
    field{ id = "name", label = t("name"), hint = t("name"), value = contact and contact.displayName or "" },
    field{ id = "phone", label = t("phone"), hint = t("phone"), value = number },
    field{ id = "email", label = t("email"), hint = t("email"), value = mail },
    field{ id = "company", label = t("company"), hint = t("company"), value = contact and contact.company or "" } }
end

-- What the form holds, as the provider wants it; nil when there is no name.
function form_values(ctx, contact)
  local old_number = contact and first_number(contact) or ""
  local old_mail = contact and contact.emails[1] and contact.emails[1].email or ""
  local name = trim(ctx.fields.name or contact and contact.displayName or "")
  if name == "" then
    return nil
  end
  local number = trim(ctx.fields.phone or old_number)
  local mail = trim(ctx.fields.email or old_mail)
  local company = trim(ctx.fields.company or contact and contact.company or "")
  return { displayName = name, company = company,
    phones = number ~= "" and { { number = number, label = t("mobile"), isPrimary = true } } or empty(),
    emails = mail ~= "" and { { email = mail, label = t("email"), isPrimary = true } } or empty() }
end

screens["/new"] = function(ctx)
  local contact = ctx.params.number and { displayName = "", phones = { { number = ctx.params.number } }, emails = {} }
  return form("contact_new", t("new"), "create", contact or nil)
end

screens["/contact/:id/edit"] = function(ctx)
  local contact = contact_of(ctx, ctx.params.id)
  return contact and form("contact_edit", t("edit"), "save", contact) or gone(t("edit"))
end

actions.create = function(ctx)
  local contact = ctx.params.number and { displayName = "", phones = { { number = ctx.params.number } }, emails = {} }
  local values = form_values(ctx, contact or nil)
  if not values then
    toast_show(t("name_missing"))
    return
  end
  local uri = split(call("insert", { uri = AUTHORITY, values = values }), "/")
  replace("/contact/" .. uri[#uri])
  toast_show(t("saved"))
end

actions.save = function(ctx)
  local values = form_values(ctx, contact_of(ctx, ctx.params.id))
  if not values then
    toast_show(t("name_missing"))
    return
  end
  call("update", { uri = AUTHORITY .. "/" .. ctx.params.id, values = values })
  back()
  toast_show(t("saved"))
end

-- ---- keypad and calls ------------------------------------------------------------------------------------------------

KEYS = { "1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#" }

function dialled(ctx)
  local given = ctx.intent and ctx.intent.data and ctx.intent.data.number
  return ctx.fields.number or given or ""
end

screens["/keypad"] = function(ctx)
  local number = dialled(ctx)
  return screen{ page = "keypad", title = t("keypad"), bottom = tab_bar("keypad"), scroll = false,
    field{ id = "number", hint = t("number"), value = number, label = t("phone") },
    grid{ id = "keys", columns = 3, pad = 48, gap = 24,
      map(KEYS, function(key)
        return button{ id = "dial_" .. key, key, tap = "dial", args = { key = key }, purpose = "key" }
      end) },
    row{ pad = 48, gap = 48,
      button{ id = "call", t("call"), weight = 1, tap = "call_dialled", purpose = "call", enabled = number ~= "" },
      button{ id = "save_number", t("new"), weight = 1, tap = "save_dialled", enabled = number ~= "" } } }
end

actions.dial = function(ctx, args)
  set_field("number", dialled(ctx) .. args.key)
end

actions.call_dialled = function(ctx)
  go("/calling?number=" .. dialled(ctx))
end

actions.save_dialled = function(ctx)
  go("/new?number=" .. dialled(ctx))
end

screens["/calling"] = function(ctx)
  local number = ctx.params.number or ""
  local contact = find(ctx.os.providers.contacts.contacts, function(one)
    return digits(first_number(one)) == digits(number)
  end)
  local name = contact and contact.displayName or number
  return screen{ page = "calling", title = t("calling", name), scroll = false, pad = 96, gap = 96,
    label{ id = "name", name, size = "large" },
    label{ id = "number", number },
    button{ id = "hang_up", t("hang_up"), back = true, purpose = "cancel" } }
end

-- ---- picked for another app ------------------------------------------------------------------------------------------

screens["/pick"] = function(ctx)
  local people = found(ctx, false)
  return screen{ page = "contact_pick", title = t("pick"), back = true,
    field{ id = "search", hint = t("search"), purpose = "search" },
    map(people, function(contact)
      return item{ id = "contact", contact.displayName, detail = first_number(contact), tap = "pick",
        args = { id = contact.id }, purpose = "item", intent = t("pick_one", contact.displayName) }
    end),
    #people == 0 and label{ id = "empty", t("none"), pad = 48 } }
end

actions.pick = function(ctx, args)
  local contact = contact_of(ctx, args.id)
  call("os.finishActivity", { result = { resultCode = "OK",
    data = { id = contact.id, name = contact.displayName, number = first_number(contact) } } })
end
