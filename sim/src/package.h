/// package.h - installed apps: their manifests stand in sys.packages in install order (os.md 12).
#ifndef SIM_PACKAGE_H
#define SIM_PACKAGE_H

#include "machine.h"

enum { WD_PACKAGES_MAX = 4096 };

/// The first app whose manifest has this role ("default SMS app", ...), or NULL. Borrowed.
const wd_value *wd_package_with_role(const wd_machine *machine, const char *role);
/// The name shown in a locale (WD_LOCALE_*): name.zh / name.en, else displayName, else the id. Borrowed.
const wd_value *wd_package_name(const wd_value *manifest, int locale);

extern const wd_op wd_ops_package[];

#endif
