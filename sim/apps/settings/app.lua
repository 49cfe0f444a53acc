-- System settings: every page shows fields of the operating system and writes them through its managers.

ROOT = {
  { "wifi", "/wifi" }, { "bluetooth", "/bluetooth" }, { "network", "/network" }, { "sound", "/sound" },
  { "display", "/display" }, { "battery", "/battery" }, { "apps", "/apps" }, { "language", "/language" },
  { "about", "/about" },
}
STREAMS = { "ring", "alarm", "notification", "call" }
LANGUAGES = { { "en", "English" }, { "zh-Hans", "简体中文" } }

function global(ctx)
  return ctx.os.settings.global
end

function system(ctx)
  return ctx.os.settings.system
end

function on_off(flag)
  return flag and t("on") or t("off")
end

-- A row with a switch that calls the operation `op` with the opposite of what is.
function toggle(id, title, on, op, detail)
  return item{ id = id, title, detail = detail, on = on, tap = "set", args = { op = op, v = not on },
    purpose = "toggle", intent = on and t("turn_off", title) or t("turn_on", title) }
end

-- A level of 0 to 100 with buttons at its sides.
function level(id, title, value, op, key)
  return column{ pad = 48, gap = 12,
    label{ title },
    row{ gap = 24,
      button{ id = id .. "_down", "-", tap = "set", args = { op = op, key = key, v = max(0, value - 10) }, label = t("less", title) },
      slider{ id = id, label = title, number = value, text = text(value) .. "%", tap = "set_level", args = { op = op, key = key } },
      button{ id = id .. "_up", "+", tap = "set", args = { op = op, key = key, v = min(100, value + 10) }, label = t("more", title) } } }
end

function section(title)
  return label{ title, size = "small", pad = 48 }
end

actions.set = function(ctx, args)
  call(args.op, { key = args.key, v = args.v })
end

actions.set_level = function(ctx, args)
  call(args.op, { key = args.key, v = number(args.value) })
end

-- ---- root ------------------------------------------------------------------------------------------------------------

function root_detail(ctx, name)
  local wifi = ctx.os.hardware.wifi
  if name == "wifi" then
    return global(ctx).wifiEnabled and (wifi.connectedSsid or t("not_connected")) or t("off")
  elseif name == "bluetooth" then
    return on_off(global(ctx).bluetoothEnabled)
  elseif name == "network" then
    return global(ctx).airplaneModeEnabled and t("airplane") or t("network_detail")
  elseif name == "battery" then
    return text(ctx.os.hardware.battery.percent) .. "%"
  end
  return t(name .. "_detail")
end

screens["/"] = function(ctx)
  local query = trim(ctx.fields.search or "")
  local shown = filter(ROOT, function(entry) return contains(t(entry[1]), query) end)
  return screen{ page = "settings", title = t("settings"),
    field{ id = "search", hint = t("search"), purpose = "search" },
    map(shown, function(entry)
      return item{ id = "open_" .. entry[1], t(entry[1]), detail = root_detail(ctx, entry[1]), go = entry[2],
        purpose = "item", intent = t("open", t(entry[1])) }
    end),
    #shown == 0 and label{ id = "empty", t("nothing_found"), pad = 48 } }
end

-- ---- Wi-Fi -----------------------------------------------------------------------------------------------------------

function wifi_row(ctx, ap)
  local here = global(ctx).wifiEnabled and ctx.os.hardware.wifi.connectedSsid == ap.ssid
  return item{ id = "network", ap.ssid, selected = here, purpose = "item",
    detail = here and t("connected") or ap.security, go = "/wifi/network?ssid=" .. ap.ssid,
    intent = t("open", ap.ssid) }
end

screens["/wifi"] = function(ctx)
  local on = global(ctx).wifiEnabled
  return screen{ page = "wifi", title = t("wifi"), back = true,
    toggle("wifi_switch", t("use_wifi"), on, "wifi"),
    on and section(t("networks")),
    on and map(ctx.os.hardware.nearbyWifi, function(ap) return wifi_row(ctx, ap) end) }
end

function signal_text(level)
  return t("signal_" .. text(max(0, min(4, level or 0))))
end

screens["/wifi/network"] = function(ctx)
  local ssid = ctx.params.ssid or ""
  local ap = find(ctx.os.hardware.nearbyWifi, "ssid", ssid)
  local here = global(ctx).wifiEnabled and ctx.os.hardware.wifi.connectedSsid == ssid
  local asks = ctx.params.dialog == "password"
  return screen{ page = "wifi_network", title = ssid, back = true,
    item{ id = "security", t("security"), value = ap and ap.security or "-" },
    item{ id = "signal", t("signal"), value = ap and signal_text(ap.signalLevel) or "-" },
    here and item{ id = "ip_address", t("ip_address"), value = ctx.os.hardware.wifi.ipAddress or "-" },
    row{ pad = 48, gap = 48,
      here and button{ id = "disconnect", t("disconnect"), tap = "wifi_disconnect", purpose = "submit" },
      not here and button{ id = "connect", t("connect"), tap = "wifi_connect", purpose = "submit",
        args = { ssid = ssid, open = not ap or ap.security == "OPEN" }, intent = t("connect_to", ssid) } },
    overlay = asks and dialog{ page = "wifi_password", id = "password_dialog", gap = 24,
      label{ id = "dialog_title", t("enter_password", ssid), size = "title" },
      field{ id = "password", hint = t("password"), password = true, submit = "wifi_password" },
      ctx.params.wrong and label{ id = "error", t("wrong_password") },
      row{ gap = 24,
        button{ id = "cancel", t("cancel"), back = true, purpose = "cancel" },
        button{ id = "ok", t("connect"), tap = "wifi_password", purpose = "confirm" } } } or nil }
end

actions.wifi_connect = function(ctx, args)
  local known = ctx.os.preferences["wifi_password__" .. args.ssid]
  if args.open or known then
    call("connectWifi", { v = args.ssid })
    toast_show(t("connected_to", args.ssid))
  else
    go("/wifi/network?ssid=" .. args.ssid .. "&dialog=password")
  end
end

actions.wifi_password = function(ctx)
  local ssid = ctx.params.ssid
  local typed = ctx.fields.password or ""
  if length(typed) < 8 then
    replace("/wifi/network?ssid=" .. ssid .. "&dialog=password&wrong=1")
    return
  end
  call("setPref", { key = "wifi_password__" .. ssid, v = typed })
  call("connectWifi", { v = ssid })
  back()
end

actions.wifi_disconnect = function(ctx)
  call("disconnectWifi")
end

-- ---- Bluetooth -------------------------------------------------------------------------------------------------------

screens["/bluetooth"] = function(ctx)
  local on = global(ctx).bluetoothEnabled
  return screen{ page = "bluetooth", title = t("bluetooth"), back = true,
    toggle("bluetooth_switch", t("use_bluetooth"), on, "bluetooth"),
    item{ id = "device_name", t("device_name"), value = ctx.os.hardware.bluetooth.name, go = "/bluetooth/name" },
    on and section(t("devices")),
    on and map(ctx.os.hardware.nearbyBluetooth, function(device)
      local state = device.connected and t("connected") or device.paired and t("paired") or t("not_paired")
      return item{ id = "device", device.name, detail = state, go = "/bluetooth/device?mac=" .. device.mac,
        purpose = "item", intent = t("open", device.name) }
    end) }
end

screens["/bluetooth/name"] = function(ctx)
  return screen{ page = "bluetooth_name", title = t("device_name"), back = true, pad = 48, gap = 48,
    field{ id = "name", value = ctx.os.hardware.bluetooth.name, submit = "rename" },
    button{ id = "save", t("save"), tap = "rename", purpose = "submit" } }
end

actions.rename = function(ctx)
  local name = trim(ctx.fields.name or ctx.os.hardware.bluetooth.name)
  if name ~= "" then
    call("deviceName", { v = name })
    back()
  else
    toast_show(t("name_missing"))
  end
end

screens["/bluetooth/device"] = function(ctx)
  local device = find(ctx.os.hardware.nearbyBluetooth, "mac", ctx.params.mac or "")
  if not device then
    return screen{ page = "bluetooth_device", title = t("device"), back = true, label{ t("nothing_found"), pad = 48 } }
  end
  local can = device.pairable ~= false
  return screen{ page = "bluetooth_device", title = device.name, back = true,
    item{ id = "kind", t("kind"), value = device.type or "-" },
    item{ id = "address", t("address"), value = device.mac },
    device.batteryLevel and item{ id = "battery", t("battery"), value = text(device.batteryLevel) .. "%" },
    row{ pad = 48,
      device.connected and button{ id = "disconnect", t("disconnect"), tap = "bluetooth_disconnect",
        args = { mac = device.mac }, purpose = "submit" },
      not device.connected and button{ id = "connect", t("connect"), tap = "bluetooth_connect", enabled = can,
        args = { mac = device.mac, name = device.name }, purpose = "submit", intent = t("connect_to", device.name) } } }
end

actions.bluetooth_connect = function(ctx, args)
  if call("connectBluetooth", { v = args.mac }) then
    toast_show(t("connected_to", args.name))
  else
    toast_show(t("cannot_connect"))
  end
end

actions.bluetooth_disconnect = function(ctx, args)
  call("disconnectBluetooth", { v = args.mac })
end

-- ---- network, sound, display, battery --------------------------------------------------------------------------------

screens["/network"] = function(ctx)
  local flags = global(ctx)
  return screen{ page = "network", title = t("network"), back = true,
    toggle("airplane_switch", t("airplane"), flags.airplaneModeEnabled, "airplane", t("airplane_detail")),
    toggle("mobile_data_switch", t("mobile_data"), flags.mobileDataEnabled, "mobileData"),
    toggle("hotspot_switch", t("hotspot"), ctx.os.hardware.hotspot.enabled, "hotspot"),
    toggle("vpn_switch", t("vpn"), ctx.os.hardware.vpnEnabled, "vpn"),
    item{ id = "sim", t("sim"), go = "/network/sim", purpose = "item" } }
end

screens["/network/sim"] = function(ctx)
  return screen{ page = "sim", title = t("sim"), back = true,
    map(ctx.os.telephony.sims, function(sim)
      return item{ id = "sim_card", t("slot", text(sim.slot)), detail = sim.carrier, value = sim.networkType }
    end) }
end

screens["/sound"] = function(ctx)
  local flags = global(ctx)
  return screen{ page = "sound", title = t("sound"), back = true,
    toggle("silent_switch", t("silent"), flags.silentMode, "silent"),
    toggle("dnd_switch", t("dnd"), flags.doNotDisturbEnabled, "dnd", t("dnd_detail")),
    level("media_volume", t("media_volume"), system(ctx).mediaVolume, "mediaVolume"),
    map(STREAMS, function(stream)
      local key = "volume_" .. stream
      return level(key, t(key), ctx.os.preferences[key] or 50, "setPref", key)
    end) }
end

screens["/display"] = function(ctx)
  local flags, levels = global(ctx), system(ctx)
  return screen{ page = "display", title = t("display"), back = true,
    level("brightness", t("brightness"), levels.brightness, "brightness"),
    toggle("auto_brightness_switch", t("auto_brightness"), flags.autoBrightnessEnabled, "autoBrightness"),
    toggle("dark_mode_switch", t("dark_mode"), flags.darkModeEnabled, "darkMode"),
    toggle("eye_comfort_switch", t("eye_comfort"), flags.eyeComfortEnabled, "eyeComfort"),
    item{ id = "font_size", t("font_size"), value = text(levels.fontSizePct) .. "%", go = "/display/font",
      purpose = "item" } }
end

screens["/display/font"] = function(ctx)
  return screen{ page = "font_size", title = t("font_size"), back = true,
    label{ t("font_sample"), pad = 48, size = 36 + floor(system(ctx).fontSizePct / 4) },
    level("font_size", t("font_size"), system(ctx).fontSizePct, "fontSize"),
    level("display_size", t("display_size"), system(ctx).displaySizePct, "displaySize") }
end

screens["/battery"] = function(ctx)
  local battery = ctx.os.hardware.battery
  return screen{ page = "battery", title = t("battery"), back = true,
    label{ id = "percent", text(battery.percent) .. "%", size = "huge", pad = 48 },
    item{ id = "charging", t("charging"), value = battery.charging and t("yes") or t("no") },
    item{ id = "health", t("health"), value = battery.health or "-" },
    item{ id = "cycles", t("cycles"), value = battery.cycleCount or 0 },
    toggle("battery_saver_switch", t("battery_saver"), global(ctx).batterySaverEnabled, "batterySaver") }
end

-- ---- apps and permissions --------------------------------------------------------------------------------------------

screens["/apps"] = function(ctx)
  return screen{ page = "apps", title = t("apps"), back = true,
    map(ctx.os.installedApps, function(app)
      return item{ id = "app", app.name, detail = app.packageName, go = "/apps/" .. app.id, purpose = "item",
        intent = t("open", app.name) }
    end) }
end

function short_permission(id)
  local parts = split(id, ".")
  return parts[#parts]
end

screens["/apps/:app"] = function(ctx)
  local app = find(ctx.os.installedApps, "id", ctx.params.app)
  if not app then
    return screen{ page = "app", title = t("apps"), back = true, label{ t("nothing_found"), pad = 48 } }
  end
  return screen{ page = "app", title = app.name, back = true,
    item{ id = "version", t("version"), value = app.version },
    item{ id = "package", t("package"), detail = app.packageName },
    item{ id = "permissions", t("permissions"), go = "/apps/" .. app.id .. "/permissions", purpose = "item" },
    toggle_notifications(ctx, app.id),
    row{ pad = 48, button{ id = "force_stop", t("force_stop"), tap = "force_stop", args = { app = app.id } } } }
end

function toggle_notifications(ctx, app)
  local on = ctx.os.preferences["notif.app." .. app .. ".enabled"] ~= false
  return item{ id = "notifications_switch", t("notifications"), on = on, tap = "set_notifications",
    args = { app = app, on = not on }, purpose = "toggle" }
end

actions.set_notifications = function(ctx, args)
  call("setPref", { key = "notif.app." .. args.app .. ".enabled", v = args.on })
end

actions.force_stop = function(ctx, args)
  if args.app ~= ctx.app then
    call("os.closeApp", { app = args.app })
    toast_show(t("stopped"))
  end
end

screens["/apps/:app/permissions"] = function(ctx)
  local app = ctx.params.app
  local granted = ctx.os.permissions[app]
  local asked = granted and keys(granted) or {}
  return screen{ page = "permissions", title = t("permissions"), back = true,
    #asked == 0 and label{ id = "empty", t("no_permissions"), pad = 48 },
    map(asked, function(id)
      local on = granted[id] == "granted"
      return item{ id = "permission", short_permission(id), on = on, tap = "set_permission", purpose = "toggle",
        args = { app = app, perm = id, on = not on } }
    end) }
end

actions.set_permission = function(ctx, args)
  call(args.on and "grant" or "revoke", { app = args.app, perm = args.perm })
end

-- ---- language and about ----------------------------------------------------------------------------------------------

screens["/language"] = function(ctx)
  return screen{ page = "language", title = t("language"), back = true,
    map(LANGUAGES, function(entry)
      return item{ id = "language_" .. entry[1], entry[2], selected = ctx.os.locale == entry[1], tap = "set_language",
        args = { locale = entry[1] }, purpose = "item", detail = ctx.os.locale == entry[1] and t("selected") or nil }
    end) }
end

actions.set_language = function(ctx, args)
  call("setLocale", { v = args.locale })
end

screens["/about"] = function(ctx)
  local build = ctx.os.build
  return screen{ page = "about", title = t("about"), back = true,
    item{ id = "device_name", t("device_name"), value = ctx.os.hardware.bluetooth.name, go = "/bluetooth/name" },
    item{ id = "model", t("model"), value = build.model },
    item{ id = "android_version", t("android_version"), value = build.androidVersion },
    item{ id = "system_version", t("system_version"), value = build.systemVersion },
    item{ id = "build_number", t("build_number"), value = build.buildNumber },
    item{ id = "memory", t("memory"), value = build.ramTotal },
    item{ id = "storage", t("storage"), detail = t("used_of", ctx.os.hardware.storage.used, build.storageTotal) } }
end
