-- Shop: products of the world data, a cart and orders of the user's. Orders are paid in the wallet, which gives a result.

function money(amount)
  return "¥" .. cents(amount)
end

function category_name(ctx, category)
  return category.name[ctx.locale]
end

function product_row(id)
  local product = view_product(id)
  return product and item{ id = "product", product.name, detail = money(product.cents),
    value = product.stock == 0 and t("sold_out") or nil, go = "/product/" .. product.id, purpose = "item",
    intent = t("open", product.name) }
end

function cart_count(ctx)
  local count = 0
  for _, line in ipairs(cart_lines(ctx)) do
    count = count + line.count
  end
  return count
end

-- The cart as a list of {product, count}, in the order in which things were put there.
function cart_lines(ctx)
  return map(keys(ctx.state.cart), function(id)
    local product = view_product(id)
    return product and { product = product, count = ctx.state.cart[id] } or nil
  end)
end

function total(ctx)
  local sum = 0
  for _, line in ipairs(cart_lines(ctx)) do
    sum = sum + line.product.cents * line.count
  end
  return sum
end

function bottom_bar(ctx, here)
  return tabs{ id = "tabs",
    tab{ id = "tab_home", t("home"), go = "/", selected = here == "home", purpose = "tab" },
    tab{ id = "tab_favourites", t("favourites"), go = "/favourites", selected = here == "favourites", purpose = "tab" },
    tab{ id = "tab_cart", t("cart_count", cart_count(ctx)), go = "/cart", selected = here == "cart", purpose = "tab" },
    tab{ id = "tab_orders", t("orders"), go = "/orders", selected = here == "orders", purpose = "tab" } }
end

screens["/"] = function(ctx)
  return screen{ page = "shop", title = t("shop"), bottom = bottom_bar(ctx, "home"),
    menu = { icon{ id = "settings", label = t("settings"), go = "/settings" } },
    item{ id = "open_search", t("search"), go = "/search", purpose = "search" },
    grid{ id = "categories", columns = 3,
      map(keys(ctx.data.categories), function(id)
        local category = ctx.data.categories[id]
        return button{ id = "category_" .. id, category_name(ctx, category), go = "/category/" .. id, purpose = "item" }
      end) },
    label{ t("picks"), size = "small", pad = 48 },
    map(ctx.data.picks, product_row) }
end

screens["/category/:id"] = function(ctx)
  local category = ctx.data.categories[ctx.params.id]
  if not category then
    return nothing(t("shop"))
  end
  return screen{ page = "category", title = category_name(ctx, category), back = true, params = { id = category.id },
    map(category.productIds, product_row) }
end

function nothing(title)
  return screen{ page = "missing", title = title, back = true, label{ id = "empty", t("nothing"), pad = 48 } }
end

screens["/search"] = function(ctx)
  local query = trim(ctx.fields.search or "")
  local found = {}
  if query ~= "" then
    found = filter(keys(ctx.data.products), function(id) return contains(ctx.data.products[id].name, query) end)
  end
  return screen{ page = "search", title = t("search"), back = true,
    field{ id = "search", hint = t("search"), purpose = "search" },
    map(slice(found, 1, 30), product_row),
    query ~= "" and #found == 0 and label{ id = "empty", t("nothing"), pad = 48 } }
end

screens["/product/:id"] = function(ctx)
  local product = view_product(ctx.params.id)
  if not product then
    return nothing(t("shop"))
  end
  local kept = index_of(state_user().favouriteIds, product.id)
  return screen{ page = "product", title = product.name, back = true, params = { id = product.id },
    menu = { icon{ id = "favourite", label = kept and t("remove_favourite") or t("add_favourite"), selected = kept ~= nil,
      tap = "favourite", args = { id = product.id }, purpose = "toggle" } },
    image{ label = product.name, width = 600, height = 600 },
    label{ id = "price", money(product.cents), size = "large", pad = 48 },
    label{ id = "about", product.about, pad = 48 },
    item{ id = "rating", t("rating"), value = text(floor(product.rating / 10)) .. "." .. text(product.rating % 10) },
    item{ id = "stock", t("stock"), value = product.stock },
    row{ pad = 48, gap = 48,
      button{ id = "add_to_cart", t("add_to_cart"), weight = 1, tap = "add", args = { id = product.id },
        enabled = product.stock > 0, purpose = "submit", intent = t("add_to_cart") },
      button{ id = "open_cart", t("cart_count", cart_count(ctx)), weight = 1, go = "/cart" } } }
end

actions.favourite = function(ctx, args)
  local ids = ctx.draft.user.favouriteIds
  ctx.draft.user.favouriteIds = index_of(ids, args.id) and without(ids, args.id) or with(ids, args.id)
end

actions.add = function(ctx, args)
  local product = view_product(args.id)
  local count = ctx.state.cart[args.id] or 0
  if count >= product.stock then
    toast_show(t("no_more"))
    return
  end
  ctx.draft.cart[args.id] = count + 1
  toast_show(t("added"))
end

screens["/favourites"] = function(ctx)
  local ids = state_user().favouriteIds
  return screen{ page = "favourites", title = t("favourites"), bottom = bottom_bar(ctx, "favourites"),
    map(ids, product_row),
    #ids == 0 and label{ id = "empty", t("nothing"), pad = 48 } }
end

-- ---- cart and checkout -----------------------------------------------------------------------------------------------

screens["/cart"] = function(ctx)
  local lines = cart_lines(ctx)
  return screen{ page = "cart", title = t("cart"), bottom = bottom_bar(ctx, "cart"),
    map(lines, function(line)
      local id = line.product.id
      return row{ pad = 24, gap = 24,
        item{ id = "cart_line", line.product.name, detail = money(line.product.cents), go = "/product/" .. id,
          weight = 1, purpose = "item" },
        button{ id = "less", "-", label = t("less", line.product.name), tap = "less", args = { id = id } },
        label{ id = "line_count", text(line.count) },
        button{ id = "more", "+", label = t("more", line.product.name), tap = "add", args = { id = id } } }
    end),
    #lines == 0 and label{ id = "empty", t("cart_empty"), pad = 48 },
    #lines > 0 and item{ id = "total", t("total"), value = money(total(ctx)) },
    #lines > 0 and row{ pad = 48, button{ id = "checkout", t("checkout"), go = "/checkout", purpose = "submit" } } }
end

actions.less = function(ctx, args)
  local count = ctx.state.cart[args.id] or 0
  ctx.draft.cart[args.id] = count > 1 and count - 1 or nil
end

function chosen_address(ctx)
  local id = ctx.params.address or state_user().addressIds[1]
  return id and ctx.state.addresses[id] or nil
end

screens["/checkout"] = function(ctx)
  local address = chosen_address(ctx)
  return screen{ page = "checkout", title = t("checkout"), back = true,
    item{ id = "address", t("address"), detail = address and address.street or t("no_address"), go = "/addresses",
      purpose = "item" },
    map(cart_lines(ctx), function(line)
      return item{ id = "line", line.product.name, value = "x" .. line.count }
    end),
    item{ id = "total", t("total"), value = money(total(ctx)) },
    field{ id = "note", hint = t("note") },
    row{ pad = 48, button{ id = "place_order", t("pay_amount", money(total(ctx))), tap = "place_order",
      enabled = total(ctx) > 0, purpose = "submit", intent = t("pay_amount", money(total(ctx))) } } }
end

function ask_payment(order)
  call("os.startActivityForResult", { cb = "shop:paid", intent = { action = "ACTION_PAY", scheme = "wallet",
    data = { merchant = t("shop"), cents = order.cents, orderId = order.id } } })
end

actions.place_order = function(ctx)
  local address = chosen_address(ctx)
  if not address then
    toast_show(t("no_address"))
    return
  end
  local id = new_id("order_")
  local order = { id = id, createdAt = ctx.now, status = "unpaid", cents = total(ctx), addressId = address.id,
    note = ctx.fields.note or "", lines = map(cart_lines(ctx), function(line)
      return { productId = line.product.id, count = line.count, cents = line.product.cents }
    end) }
  ctx.draft.orders[id] = order
  ctx.draft.user.orderIds = with(ctx.draft.user.orderIds, id)
  for _, line in ipairs(order.lines) do
    ctx.draft.cart[line.productId] = nil
  end
  replace("/order/" .. id)
  ask_payment(order)
end

results.paid = function(ctx, result)
  if result.resultCode == "OK" then
    local order = ctx.draft.orders[result.data.orderId]
    order.status = "paid"
    order.billId = result.data.billId
    toast_show(t("paid"))
  else
    toast_show(t("not_paid"))
  end
end

-- ---- orders ----------------------------------------------------------------------------------------------------------

screens["/orders"] = function(ctx)
  local ids = state_user().orderIds
  local orders = sorted(map(ids, function(id) return view_order(id) end), "createdAt", true)
  return screen{ page = "orders", title = t("orders"), bottom = bottom_bar(ctx, "orders"),
    map(orders, function(order)
      return item{ id = "order", t("order_of", money(order.cents)), detail = t("status_" .. order.status),
        go = "/order/" .. order.id, purpose = "item" }
    end),
    #orders == 0 and label{ id = "empty", t("nothing"), pad = 48 } }
end

screens["/order/:id"] = function(ctx)
  local order = view_order(ctx.params.id)
  if not order then
    return nothing(t("orders"))
  end
  return screen{ page = "order", title = t("order"), back = true, params = { id = order.id, status = order.status },
    item{ id = "status", t("status"), value = t("status_" .. order.status) },
    item{ id = "total", t("total"), value = money(order.cents) },
    map(order.lines, function(line)
      local product = view_product(line.productId)
      return item{ id = "line", product and product.name or line.productId, value = "x" .. line.count,
        go = "/product/" .. line.productId }
    end),
    order.status == "unpaid" and row{ pad = 48, gap = 48,
      button{ id = "pay", t("pay"), weight = 1, tap = "pay", args = { id = order.id }, purpose = "submit" },
      button{ id = "cancel_order", t("cancel_order"), weight = 1, go = "/order/" .. order.id .. "?dialog=cancel",
        purpose = "delete" } },
    overlay = ctx.params.dialog == "cancel" and dialog{ id = "cancel_dialog", page = "order_cancel", gap = 48,
      label{ id = "dialog_title", t("cancel_ask"), size = "title" },
      row{ gap = 48,
        button{ id = "keep", t("keep"), weight = 1, back = true, purpose = "cancel" },
        button{ id = "confirm", t("cancel_order"), weight = 1, tap = "cancel", args = { id = order.id },
          purpose = "confirm" } } } or nil }
end

actions.pay = function(ctx, args)
  ask_payment(view_order(args.id))
end

actions.cancel = function(ctx, args)
  ctx.draft.orders[args.id].status = "cancelled"
  back()
end

-- ---- addresses and settings ------------------------------------------------------------------------------------------

screens["/addresses"] = function(ctx)
  return screen{ page = "addresses", title = t("addresses"), back = true,
    menu = { icon{ id = "new_address", label = t("new_address"), go = "/addresses/new", purpose = "new" } },
    map(state_user().addressIds, function(id)
      local address = ctx.state.addresses[id]
      return item{ id = "address", address.name, detail = address.street, tap = "use_address", args = { id = id },
        purpose = "item" }
    end) }
end

actions.use_address = function(ctx, args)
  local rest = without(state_user().addressIds, args.id)
  local ids = { args.id }
  for _, id in ipairs(rest) do
    ids[#ids + 1] = id
  end
  ctx.draft.user.addressIds = ids
  back()
end

screens["/addresses/new"] = function(ctx)
  return screen{ page = "address_new", title = t("new_address"), back = true, pad = 48, gap = 36,
    field{ id = "name", hint = t("name") },
    field{ id = "street", hint = t("street") },
    button{ id = "save", t("save"), tap = "save_address", purpose = "submit" } }
end

actions.save_address = function(ctx)
  local name, street = trim(ctx.fields.name or ""), trim(ctx.fields.street or "")
  if name == "" or street == "" then
    toast_show(t("fill_in"))
    return
  end
  local id = new_id("address_")
  ctx.draft.addresses[id] = { id = id, name = name, street = street }
  ctx.draft.user.addressIds = with(ctx.draft.user.addressIds, id)
  back()
end

screens["/settings"] = function(ctx)
  local settings = ctx.state.settings
  return screen{ page = "shop_settings", title = t("settings"), back = true,
    item{ id = "offers", t("offers"), on = settings.offers, tap = "update_settings",
      args = { offers = not settings.offers }, purpose = "toggle" },
    item{ id = "open_addresses", t("addresses"), go = "/addresses", purpose = "item" } }
end

actions.update_settings = function(ctx, args)
  for name, value in pairs(args) do
    ctx.draft.settings[name] = value
  end
end
