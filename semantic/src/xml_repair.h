/// xml_repair.h - making a dump's XML acceptable to a strict parser without guessing at its structure.
#ifndef SEMANTIC_XML_REPAIR_H
#define SEMANTIC_XML_REPAIR_H

#include "text_util.h"
#include "tree/status.h"

typedef struct wd_xml_repair {
    char *copy;  // repaired text, NULL when nothing had to be repaired; of copy_size bytes
    size_t copy_size;
    wd_span text;       // what to parse: the input or the copy
    size_t characters;  // lone surrogates, control characters, bytes that are no UTF-8: now U+FFFD
    size_t pairs;       // surrogate pairs written apart, now one character
    size_t ampersands;  // bare '&', now "&amp;"
} wd_xml_repair;

/// Check input (borrowed, must outlive the result) and repair it into a copy when there is something to
/// repair. Drop with wd_xml_repair_done(). @retval WD_ENOMEM
WD_NODISCARD wd_status wd_xml_repair_make(wd_span input, wd_xml_repair *ret_repair);
void wd_xml_repair_done(wd_xml_repair *repair);

#endif
