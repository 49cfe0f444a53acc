// Key files: what is written is read again, by us and by czmq; what is wrong is refused with the file's name.
#include "json.h"

#include "runtime/key_file.h"
#include "tree/alloc.h"

#include <czmq.h>
#include <sys/stat.h>
#include <unistd.h>

static const wd_key_pair pair = { "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
    "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6" };

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/key-file-XXXXXX");
    return mkdtemp(directory) == NULL;
}

static int remove_directory(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_text(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path_of(name), mode), 0);
}

static void a_pair_is_read_as_it_was_written(void **state)
{
    (void)state;
    wd_error error;
    wd_key_pair read;
    struct stat info;
    assert_int_equal(wd_key_file_write(directory, "alice", &pair, &error), WD_OK);
    assert_int_equal(stat(path_of("alice.key_secret"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(wd_key_file_read(path_of("alice.key_secret"), true, &read, &error), WD_OK);
    assert_memory_equal(&read, &pair, sizeof pair);
    assert_int_equal(wd_key_file_read(path_of("alice.key"), false, &read, &error), WD_OK);
    assert_string_equal(read.public_key, pair.public_key);
    assert_string_equal(read.secret_key, "");
    assert_int_equal(wd_key_file_read(path_of("alice.key"), true, &read, &error), WD_EDENIED);

    assert_int_equal(wd_key_file_write(directory, "alice", &pair, &error), WD_EEXIST);
    assert_int_equal(wd_key_file_write(directory, "../alice", &pair, &error), WD_EINVAL);
    assert_int_equal(wd_key_file_write("/nowhere", "alice", &pair, &error), WD_EIO);
}

static void czmq_reads_ours_and_we_read_czmqs(void **state)
{
    (void)state;
    wd_error error;
    wd_key_pair read;
    assert_int_equal(wd_key_file_write(directory, "ours", &pair, &error), WD_OK);
    zcert_t *cert = zcert_load(path_of("ours.key"));
    assert_non_null(cert);
    assert_string_equal(zcert_public_txt(cert), pair.public_key);
    assert_string_equal(zcert_secret_txt(cert), pair.secret_key);
    zcert_destroy(&cert);

    cert = zcert_new();
    zcert_set_meta(cert, "name", "%s", "bob = \"x\"");
    assert_int_equal(zcert_save(cert, path_of("theirs.key")), 0);
    assert_int_equal(wd_key_file_read(path_of("theirs.key"), false, &read, &error), WD_OK);
    assert_string_equal(read.public_key, zcert_public_txt(cert));
    assert_int_equal(chmod(path_of("theirs.key_secret"), 0600), 0);
    assert_int_equal(wd_key_file_read(path_of("theirs.key_secret"), true, &read, &error), WD_OK);
    assert_string_equal(read.secret_key, zcert_secret_txt(cert));
    zcert_destroy(&cert);
    zsys_shutdown();
}

#define PUBLIC "    public-key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\"\n"
#define SECRET "    secret-key = \"JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6\"\n"

static const struct file_case {
    const char *name, *text;
    mode_t mode;
    bool secret;
    wd_status status;
    const char *says;
} file_cases[] = {
    { "a public half", "metadata\ncurve\n" PUBLIC, 0644, false, WD_OK, "" },
    { "both halves", "curve\n" PUBLIC SECRET, 0600, true, WD_OK, "" },
    { "# is a digit", "curve\n    public-key = \"r#:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\"\n", 0644, false,
        WD_OK, "" },
    { "a secret that its group may read", "curve\n" PUBLIC SECRET, 0640, true, WD_EDENIED,
        ": mode 0640 lets others read a secret key; chmod 600 it" },
    { "a secret that all may read", "curve\n" PUBLIC SECRET, 0604, true, WD_EDENIED,
        ": mode 0604 lets others read a secret key; chmod 600 it" },
    { "a secret without its half", "curve\n" PUBLIC, 0600, true, WD_EPARSE, ": holds no secret-key" },
    { "nothing", "", 0644, false, WD_EPARSE, ": holds no public-key" },
    { "another section's key", "other\n" PUBLIC, 0644, false, WD_EPARSE, ": holds no public-key" },
    { "a key of 39", "curve\n    public-key = \"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf\"\n", 0644, false,
        WD_EPARSE, ":2: no line of a key file" },
    { "a character that is no digit",
        "curve\n    public-key = \"rq:rM>}U?@Lns47E1~kR.o@n%FcmmsL/@{H8]yf7\"\n", 0644, false, WD_EPARSE,
        ": holds no public-key" },
    { "digits past 32 bits", "curve\n    public-key = \"#####>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7\"\n", 0644,
        false, WD_EPARSE, ": holds no public-key" },
    { "no quotes", "curve\n    public-key = rq\n", 0644, false, WD_EPARSE, ":2: no line of a key file" },
    { "no text at all", "\x7f\x45\x4c\x46\n", 0644, false, WD_EPARSE, ":1: no line of a key file" },
};

static void files_are_judged(void **state)
{
    const struct file_case *row = *state;
    wd_key_pair read = { "before", "before" };
    wd_error error = { WD_OK, "" };
    write_text("case.key", row->text, row->mode);
    assert_int_equal(wd_key_file_read(path_of("case.key"), row->secret, &read, &error), row->status);
    if (row->status == WD_OK) {
        assert_true(wd_key_text_valid(read.public_key));
    } else {
        assert_string_equal(read.public_key, "before");
        assert_memory_equal(error.text, path_of("case.key"), strlen(path_of("case.key")));
        assert_memory_equal(error.text + strlen(path_of("case.key")), row->says, strlen(row->says));
    }
}

static void a_folder_of_keys(void **state)
{
    (void)state;
    wd_error error;
    wd_named_key *keys = NULL;
    size_t count = 0;
    char folder[128];
    snprintf(folder, sizeof folder, "%s/folder", directory);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(wd_key_files_read(folder, &keys, &count, &error), WD_OK);
    assert_int_equal(count, 0);
    wd_free(keys, WD_KEYS_MAX * sizeof *keys);
    write_text("folder/b.key", "curve\n" PUBLIC, 0644);
    write_text(
        "folder/a.key", "curve\n    public-key = \"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID\"\n", 0644);
    write_text("folder/README", "not a key", 0644);
    assert_int_equal(wd_key_files_read(folder, &keys, &count, &error), WD_OK);
    assert_int_equal(count, 2);
    assert_string_equal(keys[0].name, "a");
    assert_string_equal(keys[1].name, "b");
    wd_free(keys, WD_KEYS_MAX * sizeof *keys);
    assert_int_equal(wd_key_files_read("/nowhere", &keys, &count, &error), WD_ENOENT);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(file_cases) + 3] = {
        cmocka_unit_test(a_pair_is_read_as_it_was_written),
        cmocka_unit_test(czmq_reads_ours_and_we_read_czmqs),
        cmocka_unit_test(a_folder_of_keys),
    };
    for (size_t i = 0; i < WD_COUNT_OF(file_cases); i++) {
        tests[i + 3] = (struct CMUnitTest){ .name = file_cases[i].name,
            .test_func = files_are_judged,
            .initial_state = (void *)(uintptr_t)&file_cases[i] };
    }
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
