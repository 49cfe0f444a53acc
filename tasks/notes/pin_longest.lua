-- The note that says most at the start must be pinned at the end, and no note may have lost its pin.

function longest(notes)
  local found = nil
  for _, id in ipairs(keys(notes)) do
    local note = notes[id]
    if not found or length(note.body) > length(found.body) then
      found = note
    end
  end
  return found
end

function check(input)
  local before, after = input.init.apps.notes.notes, input.final.apps.notes.notes
  local wanted = longest(before)
  local now = after[wanted.id]
  local checks = { { field = "pinned", passed = now ~= nil and now.pinned, expected = wanted.id, actual = now and now.pinned } }
  for _, id in ipairs(keys(before)) do
    if before[id].pinned then
      local kept = after[id] ~= nil and after[id].pinned
      checks[#checks + 1] = { field = "kept." .. id, passed = kept, expected = true, actual = kept }
    end
  end
  return checks
end
