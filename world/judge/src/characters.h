/// characters.h - what the answer matchers ask of one Unicode character.
#ifndef JUDGE_CHARACTERS_H
#define JUDGE_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The character at text[0..length) of well-formed UTF-8, and its bytes; 0 and 0 at the end.
uint32_t wd_character_at(const char *text, size_t length, size_t *ret_size);
/// Bytes of the character that ends at text[length]; 0 at the start.
size_t wd_character_before(const char *text, size_t length);
/// Value of a decimal digit of any script, -1 for everything else.
int wd_character_digit(uint32_t character);
bool wd_character_is_space(uint32_t character);

/// White space of any script taken off both ends of *text_p.
void wd_text_trim(const char **text_p, size_t *length_p);
/// `part` in `text`; NULL when it is not there. Empty parts are found at the start.
const char *wd_text_find(const char *text, size_t length, const char *part, size_t part_length);

#endif
