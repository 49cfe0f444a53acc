/// enrich.h - from a scene to a semantic scene: who is in front, which page, what one can do here.
///
/// Deterministic, no I/O. The scene may come from a device, a reader, or a peer that filled in only nodes.
#ifndef SEMANTIC_ENRICH_H
#define SEMANTIC_ENRICH_H

#include "scene/semantic_scene.h"

/// By what the app declares: page from page, route and page_params; intents; purposes of nodes. Confidence 1.
/// @retval WD_ENOMEM
WD_NODISCARD wd_status wd_semantic_from_device(const wd_scene *scene, wd_semantic **ret_semantic);

/// By rule (formats.md section 5): identity from explicit sources, else from the tree; widgets and intents
/// from classes, ids and labels. What cannot be told stays NULL.
/// @retval WD_ENOMEM
WD_NODISCARD wd_status wd_semantic_from_rules(const wd_scene *scene, wd_semantic **ret_semantic);

/// The one or the other by source_format: "device" declares, everything else is read by rule.
WD_NODISCARD wd_status wd_semantic_enrich(const wd_scene *scene, wd_semantic **ret_semantic);

/// The "same page?" key: package, activity, and which classes and resource-id names can be acted on or name a
/// text. No texts, no counts, no positions: a clock, an advert or one more row does not make another page.
/// @retval WD_ENOMEM
WD_NODISCARD wd_status wd_page_key(const wd_scene *scene, wd_digest *ret_key);

#endif
