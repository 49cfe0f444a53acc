/// score.h - how well screens are read, against a table of right values (../shared/recordings/FIELDS.md):
/// precision and recall of app and page. Pure; the caller opens the files.
#ifndef SEMANTIC_SCORE_H
#define SEMANTIC_SCORE_H

#include "scene/scene.h"

/// One question over all screens. precision = right / given, recall = right / known.
typedef struct wd_score_count {
    uint64_t known;  // the table has an answer
    uint64_t given;  // we gave one, also where the table says there is none
    uint64_t right;
} wd_score_count;

typedef struct wd_score {
    uint64_t screens;          // rows counted
    wd_score_count parse;      // parse status: known and given for each row that has one
    wd_score_count app;        // app_package against current_app
    wd_score_count page;       // page from the tree against title
    wd_score_count page_high;  // those of `page` given with confidence 0.8 or more
    wd_score_count kind;       // page_kind
} wd_score;

typedef enum wd_score_verdict {
    WD_SCORE_NONE,    // the table has no such field
    WD_SCORE_RIGHT,   // the same answer, or rightly none
    WD_SCORE_MISSED,  // none given where there is one
    WD_SCORE_WRONG,   // another answer, or one where there is none
} wd_score_verdict;
const char *wd_score_verdict_name(wd_score_verdict verdict);  // "-", "right", "missed", "wrong"

/// What one screen adds, for people.
typedef struct wd_score_line {
    wd_score_verdict parse, app, page, kind;
} wd_score_line;

/// True when `expected` (one value of the table; NULL allowed) is a screen, not an episode or an action.
bool wd_score_is_screen(const wd_value *expected);

/// Compare one screen and count it. `scene` is NULL when it could not be read.
wd_score_line wd_score_add(wd_score *score, const wd_value *expected, const wd_scene *scene);

/// {"screens":..,"app":{"known","given","right","precision","recall"},...}; a ratio without cases is left
/// out.
WD_NODISCARD wd_status wd_score_to_value(const wd_score *score, wd_value **ret_value);

#endif
