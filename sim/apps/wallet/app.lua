-- Wallet: a balance, bills, people to send money to, and the cashier that other apps pay at. Amounts are in cents.

PASSWORD_LENGTH = 6

function money(amount)
  return "¥" .. cents(amount)
end

function when(ms)
  local d = date(ms)
  return pad(d.month, 2) .. "-" .. pad(d.day, 2) .. " " .. pad(d.hour, 2) .. ":" .. pad(d.minute, 2)
end

-- An amount as typed ("12", "12.5", "12.05") in cents, or nil.
function typed_cents(typed)
  local parts = split(trim(typed), ".")
  local whole = number(parts[1] ~= "" and parts[1] or "x")
  if #parts > 2 or not whole or digits(parts[1]) ~= parts[1] then
    return nil
  end
  local rest = parts[2] or ""
  if length(rest) > 2 or digits(rest) ~= rest then
    return nil
  end
  local hundredths = rest == "" and 0 or number("1" .. sub(rest .. "0", 1, 2)) - 100
  return whole * 100 + hundredths
end

function latest_bills(ctx)
  local ids = state_user().billIds
  return filter(map(slice(ids, max(1, #ids - 40)), function(id) return view_bill(id) end), function(bill) return true end)
end

function bill_row(bill)
  return item{ id = "bill", bill.title, detail = when(bill.createdAt),
    value = (bill.kind == "in" and "+" or "-") .. money(bill.cents), go = "/bill/" .. bill.id, purpose = "item" }
end

function reversed(list)
  local out = {}
  for i = #list, 1, -1 do
    out[#out + 1] = list[i]
  end
  return out
end

-- Books a bill in the draft and moves the balance.
function book(ctx, title, amount, kind)
  local id = new_id("bill_")
  ctx.draft.bills[id] = { id = id, title = title, cents = amount, kind = kind, createdAt = ctx.now }
  ctx.draft.user.billIds = with(ctx.draft.user.billIds, id)
  ctx.draft.user.balanceCents = ctx.draft.user.balanceCents + (kind == "in" and amount or -amount)
  return id
end

screens["/"] = function(ctx)
  local user = state_user()
  local shown = not ctx.state.settings.hideBalance
  return screen{ page = "wallet", title = t("wallet"),
    menu = { icon{ id = "settings", label = t("settings"), go = "/settings" } },
    card{ id = "balance_card", role = "group",
      label{ t("balance"), size = "small" },
      label{ id = "balance", shown and money(user.balanceCents) or "****", size = "large" } },
    row{ pad = 48, gap = 48,
      button{ id = "top_up", t("top_up"), weight = 1, go = "/topup", intent = t("top_up") },
      button{ id = "send_money", t("send_money"), weight = 1, go = "/transfer", intent = t("send_money") } },
    item{ id = "open_bills", t("bills"), go = "/bills", purpose = "item" },
    item{ id = "open_cards", t("cards"), go = "/cards", purpose = "item" },
    label{ t("recent"), size = "small", pad = 48 },
    map(reversed(slice(latest_bills(ctx), max(1, #latest_bills(ctx) - 4))), bill_row) }
end

screens["/bills"] = function(ctx)
  local kind = ctx.params.kind or "all"
  local shown = filter(latest_bills(ctx), function(bill) return kind == "all" or bill.kind == kind end)
  return screen{ page = "bills", title = t("bills"), back = true,
    tabs{ id = "tabs", map({ "all", "in", "out" }, function(name)
      return tab{ id = "tab_" .. name, t("kind_" .. name), go = "/bills?kind=" .. name, selected = kind == name,
        purpose = "tab" }
    end) },
    map(reversed(shown), bill_row),
    #shown == 0 and label{ id = "empty", t("no_bills"), pad = 48 } }
end

screens["/bill/:id"] = function(ctx)
  local bill = view_bill(ctx.params.id)
  if not bill then
    return screen{ page = "bill", title = t("bill"), back = true, label{ id = "empty", t("no_bills"), pad = 48 } }
  end
  return screen{ page = "bill", title = t("bill"), back = true,
    item{ id = "title", bill.title },
    item{ id = "amount", t("amount"), value = money(bill.cents) },
    item{ id = "kind", t("kind"), value = t("kind_" .. bill.kind) },
    item{ id = "time", t("time"), value = when(bill.createdAt) } }
end

screens["/cards"] = function(ctx)
  return screen{ page = "cards", title = t("cards"), back = true,
    map(ctx.data.banks, function(bank)
      return item{ id = "card", bank.name, detail = "**** " .. bank.tail, selected = state_user().cardId == bank.id,
        tap = "use_card", args = { id = bank.id }, value = state_user().cardId == bank.id and t("in_use") or nil,
        purpose = "item" }
    end) }
end

actions.use_card = function(ctx, args)
  ctx.draft.user.cardId = args.id
end

-- ---- top up and transfer ---------------------------------------------------------------------------------------------

function password_dialog(action, title)
  return dialog{ id = "password_dialog", page = "password", gap = 24,
    label{ id = "dialog_title", title, size = "title" },
    field{ id = "password", hint = t("password"), password = true, submit = action },
    row{ gap = 24,
      button{ id = "cancel", t("cancel"), weight = 1, back = true, purpose = "cancel" },
      button{ id = "confirm", t("confirm"), weight = 1, tap = action, purpose = "confirm" } } }
end

function password_right(ctx)
  local right = (ctx.fields.password or "") == ctx.state.settings.password
  if not right then
    set_field("password", "")
    toast_show(t("wrong_password"))
  end
  return right
end

screens["/topup"] = function(ctx)
  return screen{ page = "top_up", title = t("top_up"), back = true, pad = 48, gap = 48,
    field{ id = "amount", hint = t("amount"), label = t("amount"), purpose = "amount", submit = "ask_top_up" },
    button{ id = "next", t("next"), tap = "ask_top_up", purpose = "submit" },
    overlay = ctx.params.dialog == "password" and password_dialog("top_up", t("top_up")) or nil }
end

actions.ask_top_up = function(ctx)
  local amount = typed_cents(ctx.fields.amount or "")
  if amount and amount > 0 then
    go("/topup?dialog=password")
  else
    toast_show(t("bad_amount"))
  end
end

actions.top_up = function(ctx)
  local amount = typed_cents(ctx.fields.amount or "")
  if amount and password_right(ctx) then
    book(ctx, t("top_up"), amount, "in")
    back()
    back()
    toast_show(t("done"))
  end
end

screens["/transfer"] = function(ctx)
  local query = trim(ctx.fields.search or "")
  local people = filter(ctx.os.providers.contacts.contacts, function(one) return contains(one.displayName, query) end)
  return screen{ page = "transfer", title = t("send_money"), back = true,
    field{ id = "search", hint = t("search"), purpose = "search" },
    map(sorted(people, "displayName"), function(one)
      return item{ id = "person", one.displayName, go = "/transfer/" .. one.id, purpose = "item" }
    end) }
end

function receiver(ctx)
  return find(ctx.os.providers.contacts.contacts, "id", ctx.params.id)
end

screens["/transfer/:id"] = function(ctx)
  local person = receiver(ctx)
  local name = person and person.displayName or "?"
  return screen{ page = "transfer_amount", title = name, back = true, pad = 48, gap = 48, params = { to = name },
    label{ t("balance_is", money(state_user().balanceCents)), size = "small" },
    field{ id = "amount", hint = t("amount"), label = t("amount"), purpose = "amount", submit = "ask_transfer" },
    field{ id = "note", hint = t("note") },
    button{ id = "next", t("next"), tap = "ask_transfer", purpose = "submit", intent = t("send_money_to", name) },
    overlay = ctx.params.dialog == "password" and password_dialog("transfer", t("send_money_to", name)) or nil }
end

actions.ask_transfer = function(ctx)
  local amount = typed_cents(ctx.fields.amount or "")
  if not amount or amount == 0 then
    toast_show(t("bad_amount"))
  elseif amount > state_user().balanceCents then
    toast_show(t("too_little"))
  else
    go("/transfer/" .. ctx.params.id .. "?dialog=password")
  end
end

actions.transfer = function(ctx)
  local amount = typed_cents(ctx.fields.amount or "")
  local person = receiver(ctx)
  if amount and person and amount <= state_user().balanceCents and password_right(ctx) then
    local id = book(ctx, t("sent_to", person.displayName), amount, "out")
    back()
    replace("/bill/" .. id)
    toast_show(t("done"))
  end
end

-- ---- the cashier -----------------------------------------------------------------------------------------------------

-- What is to be paid: the intent of the app that asked.
function asked(ctx)
  local given = ctx.intent and ctx.intent.data
  return given and given ~= null and given.cents and given or nil
end

screens["/pay/cashier"] = function(ctx)
  local order = asked(ctx)
  if not order then
    return screen{ page = "cashier", title = t("pay"), back = true, label{ id = "empty", t("nothing_to_pay"), pad = 48 } }
  end
  return screen{ page = "cashier", title = t("pay"), back = true, pad = 48, gap = 48, params = { orderId = order.orderId },
    label{ id = "merchant", order.merchant },
    label{ id = "amount", money(order.cents), size = "large" },
    label{ t("balance_is", money(state_user().balanceCents)), size = "small" },
    button{ id = "pay", t("pay_amount", money(order.cents)), tap = "ask_pay", purpose = "submit",
      intent = t("pay_amount", money(order.cents)) },
    button{ id = "give_up", t("cancel"), tap = "give_up", purpose = "cancel" },
    overlay = ctx.params.dialog == "password" and password_dialog("pay", t("pay_amount", money(order.cents))) or nil }
end

actions.ask_pay = function(ctx)
  if asked(ctx).cents > state_user().balanceCents then
    toast_show(t("too_little"))
  else
    go("/pay/cashier?dialog=password")
  end
end

actions.pay = function(ctx)
  local order = asked(ctx)
  if order and order.cents <= state_user().balanceCents and password_right(ctx) then
    local id = book(ctx, order.merchant, order.cents, "out")
    call("os.finishActivity", { result = { resultCode = "OK", data = { orderId = order.orderId, billId = id } } })
  end
end

actions.give_up = function(ctx)
  call("os.finishActivity", { result = { resultCode = "CANCELED" } })
end

-- ---- settings --------------------------------------------------------------------------------------------------------

screens["/settings"] = function(ctx)
  local settings = ctx.state.settings
  return screen{ page = "wallet_settings", title = t("settings"), back = true,
    item{ id = "hide_balance", t("hide_balance"), on = settings.hideBalance, tap = "update_settings",
      args = { hideBalance = not settings.hideBalance }, purpose = "toggle" },
    item{ id = "receipts", t("receipts"), on = settings.receipts, tap = "update_settings",
      args = { receipts = not settings.receipts }, purpose = "toggle" },
    item{ id = "change_password", t("change_password"), go = "/settings/password", purpose = "item" } }
end

-- One updater for all settings: it takes those that change.
actions.update_settings = function(ctx, args)
  for name, value in pairs(args) do
    ctx.draft.settings[name] = value
  end
end

screens["/settings/password"] = function(ctx)
  return screen{ page = "change_password", title = t("change_password"), back = true, pad = 48, gap = 36,
    field{ id = "old", hint = t("old_password"), password = true },
    field{ id = "new", hint = t("new_password"), password = true },
    field{ id = "again", hint = t("again"), password = true },
    button{ id = "save", t("save"), tap = "change_password", purpose = "submit" } }
end

actions.change_password = function(ctx)
  local fresh = ctx.fields.new or ""
  if (ctx.fields.old or "") ~= ctx.state.settings.password then
    toast_show(t("wrong_password"))
  elseif length(digits(fresh)) ~= PASSWORD_LENGTH or digits(fresh) ~= fresh then
    toast_show(t("six_digits"))
  elseif fresh ~= (ctx.fields.again or "") then
    toast_show(t("not_equal"))
  else
    ctx.draft.settings.password = fresh
    back()
    toast_show(t("done"))
  end
end
