-- Forum: thousands of posts in the world data; what the user wrote, voted, saved and joined in the overlay. Counts are
-- those of the world data and the user's own part, never written back.

PAGE_ROWS = 30

function my_votes()
  return state_user().votes
end

function vote_weight(id)
  local vote = my_votes()[id]
  return vote == "up" and 1 or vote == "down" and -1 or 0
end

-- Ids of a post's comments: those of the world data that are not hidden, then those written here.
function comment_ids(ctx, post_id)
  local ids = copy(ctx.data.feeds.commentsByPost[post_id] or {})
  for _, id in ipairs(keys(ctx.state.comments)) do
    local comment = ctx.state.comments[id]
    if comment ~= null and comment.postId == post_id and not index_of(ids, id) then
      ids[#ids + 1] = id
    end
  end
  return filter(ids, function(id) return ctx.state.comments[id] ~= null end)
end

-- As many as comment_ids() lists, without listing them: the overlay's comments are few.
function comment_count(ctx, post_id)
  local count = #(ctx.data.feeds.commentsByPost[post_id] or "")
  for id, comment in pairs(ctx.state.comments) do
    local base = base_comment(id)
    if comment == null then
      count = count - (base and base.postId == post_id and 1 or 0)
    elseif comment.postId == post_id and not base then
      count = count + 1
    end
  end
  return count
end

views.post = function(ctx, row)
  local shown = copy(row)
  shown.score = row.score + vote_weight(row.id)
  shown.commentCount = comment_count(ctx, row.id)
  return shown
end

-- The author's name: a user of this device, or a member of the world data.
function author_name(ctx, id)
  local user = ctx.state.users[id]
  local member = user or ctx.data.members[id]
  return member and member.name or id
end

-- Mine = my index lists it and I am the author.
function is_mine(ctx, post)
  return post.authorId == ctx.state.currentUserId and index_of(state_user().postIds, post.id) ~= nil
end

function community_name(ctx, id)
  local community = ctx.data.communities[id]
  return community and community.name[ctx.locale] or id
end

function when(ms)
  local d = date(ms)
  return pad(d.month, 2) .. "-" .. pad(d.day, 2) .. " " .. pad(d.hour, 2) .. ":" .. pad(d.minute, 2)
end

function post_row(ctx, id)
  local post = view_post(id)
  return post and item{ id = "post", post.title, purpose = "item", intent = t("open", post.title),
    detail = community_name(ctx, post.communityId) .. " · " .. t("points", post.score) .. " · "
      .. t("comment_count", post.commentCount), go = "/post/" .. post.id }
end

-- Those of the ids that no tombstone hides. Mostly there is none, and then it is the list itself.
function visible(ctx, ids)
  local posts = ctx.state.posts
  for _, post in pairs(posts) do
    if post == null then
      return filter(ids, function(id) return posts[id] ~= null end)
    end
  end
  return ids
end

screens["/"] = function(ctx)
  local feed = ctx.params.feed or ctx.state.settings.feed
  local own, world = state_user().postIds, visible(ctx, ctx.data.feeds[feed])  -- own posts come first
  return screen{ page = "forum", title = t("forum"), params = { feed = feed },
    menu = {
      icon{ id = "search_posts", label = t("search"), go = "/search", purpose = "search" },
      icon{ id = "compose", label = t("compose"), go = "/compose", purpose = "new", intent = t("compose") },
      icon{ id = "me", label = t("me"), go = "/me" } },
    bottom = tabs{ id = "tabs",
      map({ "hot", "newest" }, function(name)
        return tab{ id = "tab_" .. name, t("feed_" .. name), go = "/?feed=" .. name, selected = feed == name,
          purpose = "tab" }
      end),
      tab{ id = "tab_communities", t("communities"), go = "/communities", purpose = "tab" } },
    rows{ id = "feed", count = #own + #world, height = 216, row = function(i)
      return post_row(ctx, i <= #own and own[i] or world[i - #own])
    end } }
end

screens["/communities"] = function(ctx)
  return screen{ page = "communities", title = t("communities"), back = true,
    map(keys(ctx.data.communities), function(id)
      local joined = index_of(state_user().joinedCommunityIds, id)
      return item{ id = "community_" .. id, community_name(ctx, id),
        detail = t("members", ctx.data.communities[id].members + (joined and 1 or 0)),
        value = joined and t("joined") or nil, go = "/community/" .. id, purpose = "item" }
    end) }
end

screens["/community/:id"] = function(ctx)
  local id = ctx.params.id
  local community = ctx.data.communities[id]
  if not community then
    return missing()
  end
  local joined = index_of(state_user().joinedCommunityIds, id)
  local ids = visible(ctx, ctx.data.feeds.byCommunity[id])
  return screen{ page = "community", title = community_name(ctx, id), back = true, params = { id = id },
    menu = { button{ id = "join", joined and t("leave") or t("join"), tap = "join", args = { id = id },
      purpose = "toggle", intent = joined and t("leave") or t("join") } },
    rows{ id = "feed", count = #ids, height = 216, row = function(i) return post_row(ctx, ids[i]) end } }
end

actions.join = function(ctx, args)
  local user = ctx.draft.users[ctx.state.currentUserId]
  local ids = user.joinedCommunityIds
  user.joinedCommunityIds = index_of(ids, args.id) and without(ids, args.id) or with(ids, args.id)
end

function missing()
  return screen{ page = "missing", title = t("forum"), back = true, label{ id = "empty", t("gone"), pad = 48 } }
end

-- ---- a post ----------------------------------------------------------------------------------------------------------

function vote_buttons(post)
  local vote = my_votes()[post.id]
  return row{ pad = 48, gap = 24,
    button{ id = "vote_up", t("up"), selected = vote == "up", tap = "vote", args = { id = post.id, vote = "up" },
      weight = 1, purpose = "toggle", intent = t("up") },
    label{ id = "score", text(post.score) },
    button{ id = "vote_down", t("down"), selected = vote == "down", tap = "vote", args = { id = post.id, vote = "down" },
      weight = 1, purpose = "toggle" } }
end

function comment_card(ctx, id)
  local comment = view_comment(id)
  if not comment then
    return false
  end
  local mine = comment.authorId == ctx.state.currentUserId and index_of(state_user().commentIds, id)
  return card{ id = "comment", role = "item",
    label{ id = "comment_author", author_name(ctx, comment.authorId), size = "small" },
    label{ id = "comment_body", comment.body },
    mine and button{ id = "delete_comment", t("delete"), tap = "delete_comment", args = { id = id }, width = 240,
      purpose = "delete" } }
end

screens["/post/:id"] = function(ctx)
  local post = view_post(ctx.params.id)
  if not post then
    return missing()
  end
  local mine = is_mine(ctx, post)
  local saved = index_of(state_user().savedPostIds, post.id)
  local path = "/post/" .. post.id
  return screen{ page = "post", title = t("post"), back = true, params = { id = post.id },
    menu = {
      icon{ id = "save", label = saved and t("unsave") or t("save_post"), selected = saved ~= nil, tap = "save",
        args = { id = post.id }, purpose = "toggle" },
      mine and icon{ id = "edit", label = t("edit"), go = path .. "/edit", purpose = "edit" },
      mine and icon{ id = "delete", label = t("delete"), go = path .. "?dialog=delete", purpose = "delete" } },
    label{ id = "post_title", post.title, size = "title", pad = 48 },
    item{ id = "author", author_name(ctx, post.authorId), detail = when(post.createdAt), go = "/member/" .. post.authorId,
      purpose = "item" },
    label{ id = "post_body", post.body, pad = 48 },
    vote_buttons(post),
    label{ id = "comments_title", t("comment_count", post.commentCount), size = "small", pad = 48 },
    map(slice(comment_ids(ctx, post.id), max(1, post.commentCount - PAGE_ROWS + 1)), function(id)
      return comment_card(ctx, id)
    end),
    bottom = row{ pad = 24, gap = 24,
      field{ id = "reply", hint = t("reply"), weight = 1, submit = "reply", args = { id = post.id } },
      button{ id = "send", t("send"), tap = "reply", args = { id = post.id }, purpose = "submit", intent = t("reply") } },
    overlay = ctx.params.dialog == "delete" and mine and dialog{ id = "delete_dialog", page = "post_delete", gap = 48,
      label{ id = "dialog_title", t("delete_ask"), size = "title" },
      row{ gap = 48,
        button{ id = "cancel", t("cancel"), weight = 1, back = true, purpose = "cancel" },
        button{ id = "confirm", t("delete"), weight = 1, tap = "delete", args = { id = post.id }, purpose = "confirm" } } }
      or nil }
end

function draft_user(ctx)
  return ctx.draft.users[ctx.state.currentUserId]
end

actions.vote = function(ctx, args)
  local votes = draft_user(ctx).votes
  votes[args.id] = votes[args.id] ~= args.vote and args.vote or nil
end

actions.save = function(ctx, args)
  local user = draft_user(ctx)
  local ids = user.savedPostIds
  user.savedPostIds = index_of(ids, args.id) and without(ids, args.id) or with(ids, args.id)
end

actions.reply = function(ctx, args)
  local body = trim(ctx.fields.reply or "")
  if body == "" then
    toast_show(t("nothing_written"))
    return
  end
  local id = new_id("my_comment_")
  ctx.draft.comments[id] = { id = id, postId = args.id, authorId = ctx.state.currentUserId, body = body, createdAt = ctx.now }
  draft_user(ctx).commentIds = with(draft_user(ctx).commentIds, id)
  set_field("reply", "")
end

actions.delete_comment = function(ctx, args)
  ctx.draft.comments[args.id] = null
  draft_user(ctx).commentIds = without(draft_user(ctx).commentIds, args.id)
end

-- A deleted post leaves a tombstone, so that nothing of it shows through.
actions.delete = function(ctx, args)
  local post = view_post(args.id)
  if not post or not is_mine(ctx, post) then
    toast_show(t("not_yours"))
    return
  end
  ctx.draft.posts[args.id] = null
  draft_user(ctx).postIds = without(draft_user(ctx).postIds, args.id)
  back()
  back()
  toast_show(t("deleted"))
end

-- ---- writing ---------------------------------------------------------------------------------------------------------

function writing_form(page, title, post, community, action)
  return screen{ page = page, title = title, back = true, pad = 48, gap = 36,
    menu = { button{ id = "publish", t("publish"), tap = action, purpose = "submit", intent = t("publish") } },
    field{ id = "title", hint = t("title"), value = post and post.title or "" },
    field{ id = "body", hint = t("text"), value = post and post.body or "", multiline = true },
    community and item{ id = "choose_community", t("community"), value = community, go = "/compose?sheet=community" } }
end

screens["/compose"] = function(ctx)
  local chosen = ctx.state.draft.communityId
  local form = writing_form("compose", t("compose"), nil, community_name(ctx, chosen), "publish")
  form.overlay = ctx.params.sheet == "community" and sheet{ id = "community_sheet", page = "compose_community",
    map(keys(ctx.data.communities), function(id)
      return item{ id = "choose_" .. id, community_name(ctx, id), selected = id == chosen, tap = "choose_community",
        args = { id = id }, height = 132, purpose = "item" }
    end) } or nil
  return form
end

actions.choose_community = function(ctx, args)
  ctx.draft.draft.communityId = args.id
  back()
end

function form_text(ctx, post)
  local title = trim(ctx.fields.title or post and post.title or "")
  if title == "" then
    toast_show(t("nothing_written"))
    return nil
  end
  return title, ctx.fields.body or post and post.body or ""
end

actions.publish = function(ctx)
  local title, body = form_text(ctx, nil)
  if title then
    local id = new_id("my_post_")
    ctx.draft.posts[id] = { id = id, communityId = ctx.state.draft.communityId, authorId = ctx.state.currentUserId,
      title = title, body = body, score = 0, createdAt = ctx.now }
    draft_user(ctx).postIds = with(draft_user(ctx).postIds, id)
    replace("/post/" .. id)
  end
end

screens["/post/:id/edit"] = function(ctx)
  local post = view_post(ctx.params.id)
  if not post or not is_mine(ctx, post) then
    return missing()
  end
  return writing_form("post_edit", t("edit"), post, nil, "change")
end

actions.change = function(ctx)
  local post = view_post(ctx.params.id)
  local title, body = form_text(ctx, post)
  if title and is_mine(ctx, post) then
    ctx.draft.posts[post.id].title = title
    ctx.draft.posts[post.id].body = body
    back()
  end
end

-- ---- people, search, settings ----------------------------------------------------------------------------------------

screens["/member/:id"] = function(ctx)
  local id = ctx.params.id
  local member = ctx.state.users[id] or ctx.data.members[id]
  if not member then
    return missing()
  end
  return screen{ page = "member", title = member.name, back = true, params = { id = id },
    label{ id = "about", member.about or "", pad = 48 } }
end

-- Up to a page of the posts whose title holds the query, after those found already.
function search_in(ids, query, found)
  for _, id in ipairs(ids) do
    local post = state_post(id) or base_post(id)
    if #found < PAGE_ROWS and contains(post.title, query) then
      found[#found + 1] = id
    end
  end
  return found
end

screens["/search"] = function(ctx)
  local query = trim(ctx.fields.search or "")
  local found = {}
  if query ~= "" then
    found = search_in(state_user().postIds, query, {})
    found = search_in(visible(ctx, ctx.data.feeds.newest), query, found)
  end
  return screen{ page = "search", title = t("search"), back = true,
    field{ id = "search", hint = t("search"), purpose = "search" },
    map(found, function(id) return post_row(ctx, id) or nil end),
    query ~= "" and #found == 0 and label{ id = "empty", t("nothing_found"), pad = 48 } }
end

screens["/me"] = function(ctx)
  local user = state_user()
  return screen{ page = "me", title = user.name, back = true,
    item{ id = "my_posts", t("my_posts"), value = #user.postIds, go = "/mine", purpose = "item" },
    item{ id = "saved_posts", t("saved_posts"), value = #user.savedPostIds, go = "/saved", purpose = "item" },
    item{ id = "switch_user", t("switch_user"), go = "/switch", purpose = "item" },
    item{ id = "settings", t("settings"), go = "/settings", purpose = "item" } }
end

screens["/mine"] = function(ctx)
  local ids = state_user().postIds
  return screen{ page = "my_posts", title = t("my_posts"), back = true,
    map(ids, function(id) return post_row(ctx, id) or nil end),
    #ids == 0 and label{ id = "empty", t("nothing_found"), pad = 48 } }
end

screens["/saved"] = function(ctx)
  local ids = state_user().savedPostIds
  return screen{ page = "saved", title = t("saved_posts"), back = true,
    map(ids, function(id) return post_row(ctx, id) or nil end),
    #ids == 0 and label{ id = "empty", t("nothing_found"), pad = 48 } }
end

screens["/switch"] = function(ctx)
  return screen{ page = "switch_user", title = t("switch_user"), back = true,
    map(keys(ctx.state.users), function(id)
      local here = id == ctx.state.currentUserId
      return item{ id = "user_" .. id, ctx.state.users[id].name, selected = here, value = here and t("in_use") or nil,
        tap = "switch", args = { id = id }, purpose = "item" }
    end) }
end

actions.switch = function(ctx, args)
  ctx.draft.currentUserId = args.id
end

screens["/settings"] = function(ctx)
  local settings = ctx.state.settings
  return screen{ page = "forum_settings", title = t("settings"), back = true,
    map({ "hot", "newest" }, function(feed)
      return item{ id = "feed_" .. feed, t("start_with", t("feed_" .. feed)), selected = settings.feed == feed,
        tap = "update_settings", args = { feed = feed }, purpose = "item" }
    end),
    item{ id = "replies", t("reply_notices"), on = settings.replyNotices, tap = "update_settings",
      args = { replyNotices = not settings.replyNotices }, purpose = "toggle" } }
end

actions.update_settings = function(ctx, args)
  for name, value in pairs(args) do
    ctx.draft.settings[name] = value
  end
end

-- What the state shows beside the stores: the present user, so that nobody has to look it up.
function adapter(overlay)
  local shown = copy(overlay)
  shown.user = overlay.users[overlay.currentUserId]
  return shown
end
