-- The launcher: installed apps in a grid of pages, four of them in the hotseat below.

COLUMNS = 4
PAGE_SIZE = 20
HOTSEAT = { "contacts", "messages", "settings" }

-- The apps of the layout stored in os.launcher, else all of them in install order.
function placed_apps(ctx)
  local layout = ctx.os.launcher
  local placed = {}
  if layout ~= nil and layout ~= null and layout.screens then
    for _, screen in ipairs(layout.screens) do
      for _, item in ipairs(screen.items) do
        if item.kind == "app" then
          placed[#placed + 1] = item.appId
        end
      end
    end
    return placed
  end
  for _, app in ipairs(ctx.os.installedApps) do
    if not index_of(HOTSEAT, app.id) then
      placed[#placed + 1] = app.id
    end
  end
  return placed
end

function app_icon(ctx, id, element_id)
  local app = find(ctx.os.installedApps, "id", id)
  if not app then
    return false
  end
  return column{ id = element_id, role = "item", purpose = "item", tap = "open", args = { app = id },
    height = 300, pad = 24, align = "center", intent = t("open", app.name),
    image{ width = 160, height = 160 },
    label{ app.name, size = "small", lines = 1 } }
end

screens["/"] = function(ctx)
  local placed = placed_apps(ctx)
  local page = number(ctx.params.page or "1")
  local pages = max(1, floor((#placed + PAGE_SIZE - 1) / PAGE_SIZE))
  local icons = map(slice(placed, (page - 1) * PAGE_SIZE + 1, page * PAGE_SIZE), function(id)
    return app_icon(ctx, id, "app_" .. id)
  end)
  return screen{ page = "home", title = nil, scroll = false, pad = 48, gap = 48,
    swipe_left = page < pages and "/?page=" .. (page + 1) or nil,
    swipe_right = page > 1 and "/?page=" .. (page - 1) or nil,
    grid{ id = "apps", columns = COLUMNS, icons },
    bottom = grid{ id = "hotseat", columns = COLUMNS, pad = 48,
      map(HOTSEAT, function(id) return app_icon(ctx, id, "hotseat_" .. id) end) } }
end

actions.open = function(ctx, args)
  call("os.launchApp", { app = args.app })
end
