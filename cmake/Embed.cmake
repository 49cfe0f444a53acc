# wd_embed(OUT.c SYMBOL FILE): OUT.c defines `const char SYMBOL[]`, the bytes of FILE with a NUL after them, and
# `const size_t SYMBOL_length`. For data that ships inside the library.
function(wd_embed out symbol file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT "// Made from @file@; do not edit.
#include <stddef.h>
extern const char @symbol@[];
extern const size_t @symbol@_length;
const char @symbol@[] = {
@bytes@'\\0' };
const size_t @symbol@_length = sizeof(@symbol@) - 1;
")
endfunction()
