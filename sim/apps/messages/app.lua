-- Messages: conversations of the sms provider. Drafts are the user's own and stand in the overlay.

CONVERSATIONS = "content://sms/conversations"

function conversation_of(ctx, id)
  return find(ctx.os.providers.sms.conversations, "id", id)
end

function thread_of(ctx, id)
  return ctx.os.providers.sms.messagesByConversationId[id] or {}
end

function last_text(thread)
  local last = thread[#thread]
  if not last then
    return ""
  end
  return last.isOutgoing and t("you", last.content) or last.content
end

function conversation_row(ctx, conversation)
  return item{ id = "conversation", conversation.sender, detail = last_text(thread_of(ctx, conversation.id)),
    value = conversation.timestamp, selected = conversation.isUnread, purpose = "item",
    tap = "open", args = { id = conversation.id }, intent = t("open", conversation.sender) }
end

function holds(ctx, conversation, query)
  if contains(conversation.sender, query) then
    return true
  end
  for _, message in ipairs(thread_of(ctx, conversation.id)) do
    if contains(message.content, query) then
      return true
    end
  end
  return false
end

screens["/"] = function(ctx)
  local query = trim(ctx.fields.search or "")
  local shown = filter(ctx.os.providers.sms.conversations, function(conversation)
    return holds(ctx, conversation, query)
  end)
  return screen{ page = "conversations", title = t("messages"),
    menu = {
      icon{ id = "mark_read", label = t("mark_read"), tap = "mark_read" },
      icon{ id = "new_message", label = t("new"), go = "/new", purpose = "new", intent = t("new") } },
    field{ id = "search", hint = t("search"), purpose = "search" },
    map(shown, function(conversation) return conversation_row(ctx, conversation) end),
    #shown == 0 and label{ id = "empty", t("none"), pad = 48 } }
end

actions.open = function(ctx, args)
  local conversation = conversation_of(ctx, args.id)
  if conversation.isUnread then
    call("update", { uri = CONVERSATIONS .. "/" .. args.id, values = { isUnread = false } })
  end
  go("/conversation/" .. args.id)
end

actions.mark_read = function(ctx)
  for _, conversation in ipairs(ctx.os.providers.sms.conversations) do
    if conversation.isUnread then
      call("update", { uri = CONVERSATIONS .. "/" .. conversation.id, values = { isUnread = false } })
    end
  end
  toast_show(t("all_read"))
end

-- ---- one conversation ------------------------------------------------------------------------------------------------

function bubble(conversation, message)
  return card{ id = "message", role = "item", gap = 6, align = message.isOutgoing and "end" or "start",
    long_press = "ask_delete_message", args = { conversation = conversation.id, id = message.id },
    label{ id = message.isOutgoing and "outgoing_text" or "incoming_text", message.content },
    label{ id = "time", message.timestamp, size = "small" } }
end

function delete_dialog(title, action, args)
  return dialog{ id = "delete_dialog", page = action, gap = 48,
    label{ id = "dialog_title", title, size = "title" },
    row{ gap = 48,
      button{ id = "cancel", t("cancel"), weight = 1, back = true, purpose = "cancel" },
      button{ id = "confirm", t("delete"), weight = 1, tap = action, args = args, purpose = "confirm" } } }
end

function conversation_overlay(ctx, conversation)
  if ctx.params.dialog == "delete" then
    return delete_dialog(t("delete_ask", conversation.sender), "delete_conversation", { id = conversation.id })
  elseif ctx.params.dialog == "message" then
    return delete_dialog(t("delete_message_ask"), "delete_message", { id = ctx.params.message })
  end
  return nil
end

screens["/conversation/:id"] = function(ctx)
  local conversation = conversation_of(ctx, ctx.params.id)
  if not conversation then
    return screen{ page = "missing", title = t("messages"), back = true, label{ id = "empty", t("missing"), pad = 48 } }
  end
  local path = "/conversation/" .. conversation.id
  local thread = thread_of(ctx, conversation.id)
  return screen{ page = "conversation", title = conversation.sender, back = true,
    params = { id = conversation.id, sender = conversation.sender },
    menu = {
      icon{ id = "call", label = t("call"), tap = "call_sender", args = { id = conversation.id }, purpose = "call",
        intent = t("call_to", conversation.sender) },
      icon{ id = "details", label = t("details"), go = path .. "/details" },
      icon{ id = "delete", label = t("delete"), go = path .. "?dialog=delete", purpose = "delete" } },
    map(slice(thread, max(1, #thread - 30)), function(message) return bubble(conversation, message) end),
    bottom = row{ pad = 24, gap = 24,
      field{ id = "text", hint = t("write"), value = ctx.state.drafts[conversation.id] or "", weight = 1,
        input = "write", submit = "send", args = { id = conversation.id }, purpose = "field" },
      button{ id = "send", t("send"), tap = "send", args = { id = conversation.id }, purpose = "submit",
        intent = t("send_to", conversation.sender) } },
    overlay = conversation_overlay(ctx, conversation) }
end

screens["/conversation/:id/details"] = function(ctx)
  local conversation = conversation_of(ctx, ctx.params.id)
  if not conversation then
    return screen{ page = "missing", title = t("details"), back = true, label{ id = "empty", t("missing"), pad = 48 } }
  end
  return screen{ page = "conversation_details", title = t("details"), back = true,
    item{ id = "sender", conversation.sender },
    item{ id = "number", t("number"), value = conversation.phoneNumber or "-" },
    item{ id = "count", t("count"), value = #thread_of(ctx, conversation.id) } }
end

actions.write = function(ctx, args)
  ctx.draft.drafts[args.id] = args.value ~= "" and args.value or nil
end

function send_text(id, content)
  call("insert", { uri = "content://sms/messages?conversationId=" .. id,
    values = { content = content, isOutgoing = true, status = "sent" } })
end

actions.send = function(ctx, args)
  local content = trim(ctx.draft.drafts[args.id] or "")
  if content == "" then
    toast_show(t("text_missing"))
    return
  end
  ctx.draft.drafts[args.id] = nil
  send_text(args.id, content)
end

actions.call_sender = function(ctx, args)
  local conversation = conversation_of(ctx, args.id)
  call("os.startActivity", { intent = { action = "ACTION_VIEW", scheme = "tel",
    data = { number = conversation.phoneNumber or "" } } })
end

actions.delete_conversation = function(ctx, args)
  call("delete", { uri = CONVERSATIONS .. "/" .. args.id })
  back()
  back()
  toast_show(t("deleted"))
end

actions.ask_delete_message = function(ctx, args)
  go("/conversation/" .. args.conversation .. "?dialog=message&message=" .. args.id)
end

actions.delete_message = function(ctx, args)
  call("delete", { uri = "content://sms/messages/" .. args.id })
  back()
end

-- ---- a new message ---------------------------------------------------------------------------------------------------

-- Whom the message is for: typed, or given by the app that asked for the page.
function recipient(ctx)
  local given = ctx.intent and ctx.intent.data
  return ctx.fields.to or given and given ~= null and given.to or ""
end

function given_text(ctx)
  local given = ctx.intent and ctx.intent.data
  return ctx.fields.text or given and given ~= null and given.text or ""
end

-- Contacts that what was typed may mean, unless it names exactly one of them.
function candidates(ctx, typed)
  if typed == "" then
    return {}
  end
  local wanted = digits(typed)
  return filter(ctx.os.providers.contacts.contacts, function(contact)
    local phone = contact.phones[1]
    local by_number = wanted ~= "" and phone and contains(digits(phone.number), wanted)
    return contact.displayName ~= typed and (contains(contact.displayName, typed) or by_number)
  end)
end

screens["/new"] = function(ctx)
  local to = recipient(ctx)
  return screen{ page = "new_message", title = t("new"), back = true,
    menu = { icon{ id = "pick", label = t("pick"), tap = "pick_recipient" } },
    field{ id = "to", hint = t("to"), value = to, purpose = "recipient" },
    map(candidates(ctx, trim(to)), function(contact)
      local phone = contact.phones[1]
      return item{ id = "candidate", contact.displayName, detail = phone and phone.number or nil, tap = "choose",
        args = { name = contact.displayName }, purpose = "item" }
    end),
    bottom = row{ pad = 24, gap = 24,
      field{ id = "text", hint = t("write"), value = given_text(ctx), weight = 1, submit = "send_new",
        purpose = "field" },
      button{ id = "send", t("send"), tap = "send_new", purpose = "submit",
        intent = to ~= "" and t("send_to", to) or t("send") } } }
end

actions.choose = function(ctx, args)
  set_field("to", args.name)
end

actions.pick_recipient = function(ctx)
  call("os.startActivityForResult", { cb = "messages:picked",
    intent = { action = "ACTION_PICK", type = "vnd.android.cursor.dir/contact" } })
end

results.picked = function(ctx, result)
  if result.resultCode == "OK" then
    set_field("to", result.data.name)
  end
end

actions.send_new = function(ctx)
  local to, content = trim(recipient(ctx)), trim(given_text(ctx))
  if to == "" then
    toast_show(t("to_missing"))
    return
  elseif content == "" then
    toast_show(t("text_missing"))
    return
  end
  local contact = find(ctx.os.providers.contacts.contacts, "displayName", to)
  local values = { sender = to }
  if contact and contact.phones[1] then
    values.phoneNumber = contact.phones[1].number
  end
  local uri = split(call("insert", { uri = CONVERSATIONS, values = values }), "/")
  local id = uri[#uri]
  send_text(id, content)
  replace("/conversation/" .. id)
end
