/// sha256.h - SHA-256 (FIPS 180-4), for names that other programs compute too.
#ifndef JUDGE_SHA256_H
#define JUDGE_SHA256_H

#include <stddef.h>
#include <stdint.h>

void wd_sha256(const void *bytes, size_t length, uint8_t ret_digest[32]);

#endif
