-- Notes: written by the user alone, so they all stand in the overlay. A note being written is a draft until it is saved.

function when(ms)
  local d = date(ms)
  return text(d.year) .. "-" .. pad(d.month, 2) .. "-" .. pad(d.day, 2) .. " " .. pad(d.hour, 2) .. ":" .. pad(d.minute, 2)
end

-- The user's notes, pinned ones first, then by the order of the settings.
function shown_notes(ctx, folder)
  local notes = map(ctx.state.user.noteIds, function(id)
    local note = view_note(id)
    return note and (folder == "all" or note.folderId == folder) and note or nil
  end)
  local by_title = ctx.state.settings.sort == "title"
  notes = by_title and sorted(notes, "title") or sorted(notes, "updatedAt", true)
  return sorted(notes, function(note) return note.pinned and 0 or 1 end)
end

function first_line(body)
  return split(body, "\n")[1]
end

function note_row(note)
  return item{ id = "note", note.title, detail = first_line(note.body), value = note.pinned and t("pinned") or nil,
    go = "/note/" .. note.id, purpose = "item", intent = t("open", note.title) }
end

screens["/"] = function(ctx)
  local query = trim(ctx.fields.search or "")
  local notes = filter(shown_notes(ctx, ctx.params.folder or "all"), function(note)
    return contains(note.title, query) or contains(note.body, query)
  end)
  return screen{ page = "notes", title = t("notes"),
    menu = {
      icon{ id = "new_note", label = t("new"), go = "/new", purpose = "new", intent = t("new") },
      icon{ id = "settings", label = t("settings"), go = "/settings" } },
    field{ id = "search", hint = t("search"), purpose = "search" },
    row{ gap = 12, pad = 24,
      map(FOLDERS, function(folder)
        return button{ id = "folder_" .. folder, t("folder_" .. folder), weight = 1, go = "/?folder=" .. folder,
          selected = (ctx.params.folder or "all") == folder, purpose = "tab" }
      end) },
    map(notes, note_row),
    #notes == 0 and label{ id = "empty", t("none"), pad = 48 } }
end

FOLDERS = { "all", "home", "work" }

function missing()
  return screen{ page = "missing", title = t("notes"), back = true, label{ id = "empty", t("gone"), pad = 48 } }
end

screens["/note/:id"] = function(ctx)
  local note = view_note(ctx.params.id)
  if not note then
    return missing()
  end
  local path = "/note/" .. note.id
  return screen{ page = "note", title = note.title, back = true, params = { id = note.id, title = note.title },
    menu = {
      icon{ id = "pin", label = note.pinned and t("unpin") or t("pin"), tap = "pin", args = { id = note.id },
        selected = note.pinned, purpose = "toggle" },
      icon{ id = "share", label = t("share"), tap = "share", args = { id = note.id }, purpose = "share",
        intent = t("share_note", note.title) },
      icon{ id = "edit", label = t("edit"), go = path .. "/edit", purpose = "edit" },
      icon{ id = "delete", label = t("delete"), go = path .. "?dialog=delete", purpose = "delete" } },
    label{ id = "updated", when(note.updatedAt), size = "small", pad = 48 },
    label{ id = "body", note.body, pad = 48 },
    item{ id = "move", t("folder"), value = t("folder_" .. note.folderId), go = path .. "?sheet=move", purpose = "item" },
    overlay = note_overlay(ctx, note) }
end

function note_overlay(ctx, note)
  if ctx.params.dialog == "delete" then
    return dialog{ id = "delete_dialog", page = "note_delete", gap = 48,
      label{ id = "dialog_title", t("delete_ask", note.title), size = "title" },
      row{ gap = 48,
        button{ id = "cancel", t("cancel"), weight = 1, back = true, purpose = "cancel" },
        button{ id = "confirm", t("delete"), weight = 1, tap = "delete", args = { id = note.id }, purpose = "confirm" } } }
  elseif ctx.params.sheet == "move" then
    return sheet{ id = "move_sheet", page = "note_move",
      map({ "home", "work" }, function(folder)
        return item{ id = "move_" .. folder, t("folder_" .. folder), tap = "move", args = { id = note.id, folder = folder },
          selected = note.folderId == folder, purpose = "item" }
      end) }
  end
  return nil
end

actions.pin = function(ctx, args)
  local note = ctx.draft.notes[args.id]
  note.pinned = not note.pinned
end

actions.move = function(ctx, args)
  ctx.draft.notes[args.id].folderId = args.folder
  back()
end

actions.share = function(ctx, args)
  local note = view_note(args.id)
  call("os.startActivity", { intent = { action = "ACTION_SEND", type = "text/plain",
    data = { text = note.title .. "\n" .. note.body } } })
end

actions.delete = function(ctx, args)
  ctx.draft.notes[args.id] = nil
  ctx.draft.user.noteIds = without(ctx.draft.user.noteIds, args.id)
  back()
  back()
  toast_show(t("deleted"))
end

-- ---- writing ---------------------------------------------------------------------------------------------------------

function editor(ctx, page, key, title, body)
  local draft = ctx.state.drafts[key]
  return screen{ page = page, title = page == "note_new" and t("new") or t("edit"), back = true, pad = 48, gap = 36,
    menu = { button{ id = "save", t("save"), tap = "save", args = { key = key }, purpose = "submit" } },
    field{ id = "title", hint = t("title"), value = draft and draft.title or title, input = "write",
      args = { key = key, part = "title", title = title, body = body } },
    field{ id = "body", hint = t("text"), value = draft and draft.body or body, input = "write", multiline = true,
      args = { key = key, part = "body", title = title, body = body } },
    draft and button{ id = "discard", t("discard"), tap = "discard", args = { key = key }, purpose = "cancel" } }
end

function shared_text(ctx)
  local given = ctx.intent and ctx.intent.data
  return given and given ~= null and given.text or ""
end

screens["/new"] = function(ctx)
  return editor(ctx, "note_new", "new", "", shared_text(ctx))
end

screens["/note/:id/edit"] = function(ctx)
  local note = view_note(ctx.params.id)
  return note and editor(ctx, "note_edit", note.id, note.title, note.body) or missing()
end

actions.write = function(ctx, args)
  if not ctx.draft.drafts[args.key] then
    ctx.draft.drafts[args.key] = { title = args.title, body = args.body }
  end
  ctx.draft.drafts[args.key][args.part] = args.value
end

actions.discard = function(ctx, args)
  ctx.draft.drafts[args.key] = nil
  back()
end

actions.save = function(ctx, args)
  local draft = ctx.state.drafts[args.key]
  local note = view_note(args.key)
  local title = trim(draft and draft.title or note and note.title or "")
  local body = draft and draft.body or note and note.body or shared_text(ctx)
  if title == "" then
    title = sub(first_line(body), 1, 40)
  end
  if title == "" then
    toast_show(t("nothing_written"))
    return
  end
  if note then
    ctx.draft.notes[note.id].title = title
    ctx.draft.notes[note.id].body = body
    ctx.draft.notes[note.id].updatedAt = ctx.now
    ctx.draft.drafts[args.key] = nil
    back()
  else
    local id = new_id("note_")
    ctx.draft.notes[id] = { id = id, title = title, body = body, folderId = "home", pinned = false, updatedAt = ctx.now }
    ctx.draft.user.noteIds = with(ctx.draft.user.noteIds, id)
    ctx.draft.drafts[args.key] = nil
    replace("/note/" .. id)
  end
  toast_show(t("saved"))
end

-- ---- settings --------------------------------------------------------------------------------------------------------

screens["/settings"] = function(ctx)
  return screen{ page = "notes_settings", title = t("settings"), back = true,
    map({ "updated", "title" }, function(order)
      return item{ id = "sort_" .. order, t("sort_" .. order), selected = ctx.state.settings.sort == order,
        value = ctx.state.settings.sort == order and t("selected") or nil, tap = "update_settings",
        args = { sort = order }, purpose = "item" }
    end) }
end

actions.update_settings = function(ctx, args)
  for name, value in pairs(args) do
    ctx.draft.settings[name] = value
  end
end
