// The app in front. An explicit source wins; then the window that has the focus; then the tree: the window
// with a focused node, the larger, the fuller, and in it the package that most nodes have.
#include "identity.h"

#include <string.h>

enum {
    NO_WINDOW = WD_SCENE_WINDOWS_MAX,  // the place of nodes that are in none
    PLACES = WD_SCENE_WINDOWS_MAX + 1,
    PACKAGES_MAX = 16,  // different packages counted; a real screen has up to five
};

bool wd_is_system_ui(const char *package)
{
    return package != NULL && strcmp(package, "com.android.systemui") == 0;
}

/// Keyboards and edge panels: in front of the app for the eye, never the app.
static bool is_accessory(const char *package)
{
    static const char *const parts[] = { "inputmethod", "keyboard", "honeyboard", "swiftkey",
        "com.baidu.input", "cocktailbarservice", "edgepanel", "edgelighting" };
    if (wd_is_system_ui(package)) {
        return true;
    }
    for (size_t i = 0; i < WD_COUNT_OF(parts); i++) {
        if (wd_text_contains(package, parts[i])) {
            return true;
        }
    }
    return wd_text_ends(package, ".ime");
}

/// Nodes per package and window.
typedef struct census {
    const char *packages[PACKAGES_MAX];
    bool accessory[PACKAGES_MAX];
    size_t package_count;
    uint32_t nodes[PLACES][PACKAGES_MAX];
    bool focused[PLACES];
} census;

static size_t package_index(census *count, const char *package)
{
    for (size_t i = 0; i < count->package_count; i++) {
        if (count->packages[i] == package || strcmp(count->packages[i], package) == 0) {
            return i;
        }
    }
    if (count->package_count < PACKAGES_MAX) {
        count->packages[count->package_count] = package;
        count->accessory[count->package_count] = is_accessory(package);
        count->package_count += 1;
        return count->package_count - 1;
    }
    return PACKAGES_MAX;
}

static void take_census(const wd_screen_view *view, census *count)
{
    size_t last = PACKAGES_MAX;
    for (size_t i = 0; i < view->node_count; i++) {
        const wd_node *node = &view->nodes[i];
        size_t place = node->window >= 0 ? (size_t)node->window : NO_WINDOW;
        count->focused[place] |= wd_node_is(node, WD_NODE_FOCUSED);
        if (node->package == NULL || node->package[0] == '\0') {
            continue;  // an empty text is no app
        }
        if (last >= PACKAGES_MAX || count->packages[last] != node->package) {
            last = package_index(count, node->package);
        }
        if (last < PACKAGES_MAX) {
            count->nodes[place][last] += 1;
        }
    }
}

/// The package most nodes of a place have; accessories only when `accessories` says so. PACKAGES_MAX: none.
static size_t majority(const census *count, size_t place, bool accessories)
{
    size_t best = PACKAGES_MAX;
    for (size_t i = 0; i < count->package_count; i++) {
        uint32_t nodes = count->nodes[place][i];
        if (nodes > 0 && count->accessory[i] == accessories &&
            (best == PACKAGES_MAX || nodes > count->nodes[place][best])) {
            best = i;
        }
    }
    return best;
}

static int64_t area_of(wd_rect rect)
{
    return rect.right > rect.left && rect.bottom > rect.top
               ? (int64_t)(rect.right - rect.left) * (rect.bottom - rect.top)
               : 0;
}

/// The better of two places by the tree alone: focus, area, nodes.
static bool is_better(const wd_screen_view *view, const census *count, size_t place, size_t package,
    size_t best, size_t best_package)
{
    if (count->focused[place] != count->focused[best]) {
        return count->focused[place];
    }
    int64_t area = place < view->window_count ? area_of(view->windows[place].bounds) : 0;
    int64_t best_area = best < view->window_count ? area_of(view->windows[best].bounds) : 0;
    if (area != best_area) {
        return area > best_area;
    }
    return count->nodes[place][package] > count->nodes[best][best_package];
}

static bool on_default_display(const wd_screen_view *view, size_t place)
{
    return place >= view->window_count || view->windows[place].display_id == view->info->display_id;
}

/// The best place by the tree among those whose majority is (or is no) accessory; PLACES: none.
static size_t best_place(
    const wd_screen_view *view, const census *count, bool accessories, size_t *ret_package)
{
    size_t best = PLACES, best_package = PACKAGES_MAX;
    for (size_t place = 0; place < PLACES; place++) {
        size_t package = majority(count, place, accessories);
        if (package == PACKAGES_MAX || !on_default_display(view, place)) {
            continue;
        }
        if (best == PLACES || is_better(view, count, place, package, best, best_package)) {
            best = place;
            best_package = package;
        }
    }
    *ret_package = best_package;
    return best;
}

/// A window that its own attributes put in front: on the default display, focused or active, an application
/// before others, keyboards never. PLACES: no window says so.
static size_t window_in_front(const wd_screen_view *view)
{
    size_t best = PLACES;
    int best_rank = 0;
    for (size_t i = 0; i < view->window_count; i++) {
        const wd_window *window = &view->windows[i];
        int rank = window->focused == WD_YES ? 4 : window->active == WD_YES ? 2 : 0;
        if (rank == 0 || !on_default_display(view, i) || window->type == WD_WINDOW_INPUT_METHOD ||
            window->type == WD_WINDOW_DIVIDER) {
            continue;
        }
        rank += window->type == WD_WINDOW_APPLICATION;
        if (rank > best_rank || (rank == best_rank && window->layer > view->windows[best].layer)) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

/// The window that holds most nodes of the app that is known already.
static int32_t window_of(const wd_screen_view *view, const census *count, const char *app)
{
    int32_t best = -1;
    uint32_t most = 0;
    for (size_t i = 0; i < count->package_count; i++) {
        for (size_t place = 0; strcmp(count->packages[i], app) == 0 && place < view->window_count; place++) {
            if (count->nodes[place][i] > most) {
                most = count->nodes[place][i];
                best = (int32_t)place;
            }
        }
    }
    return best;
}

void wd_identify_app(const wd_screen_view *view, wd_identity *identity)
{
    census count = { .package_count = 0 };
    take_census(view, &count);
    if (view->info->app_package != NULL) {
        identity->app = view->info->app_package;
        identity->app_source = view->info->app_source;
        identity->window = window_of(view, &count, identity->app);
        return;
    }
    size_t package = PACKAGES_MAX;
    size_t place = window_in_front(view);
    const char *source = "focused_window";
    if (place != PLACES) {
        package = majority(&count, place, false);
        package = package != PACKAGES_MAX ? package : majority(&count, place, true);
    }
    if (package == PACKAGES_MAX) {
        source = "tree";
        place = best_place(view, &count, false, &package);
    }
    if (package == PACKAGES_MAX) {  // nothing but system UI
        place = best_place(view, &count, true, &package);
    }
    if (package != PACKAGES_MAX) {
        identity->app = count.packages[package];
        identity->app_source = source;
        identity->window = place < view->window_count ? (int32_t)place : -1;
    }
}
