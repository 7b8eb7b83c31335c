// SPDX-License-Identifier: Apache-2.0
// Stands in for /usr/bin/sandbox-exec where there is none. It understands the arguments as that
// program does, checks that text and parameters fit together, holds the writable roots by Landlock,
// and becomes the command. Under another name it fails as the real one can.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/landlock.h>
#include <map>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kUsage = 64;
constexpr int kBadPolicy = 65; // sysexits.h EX_DATAERR, as the real one
constexpr int kSystem = 71; // EX_OSERR

[[noreturn]] void bad(const char *what)
{
    std::fprintf(stderr, "sandbox-exec: <input string>:1:0: %s\n", what);
    std::exit(kBadPolicy);
}

/// The parameters that `text` names, in the order of their first use.
std::vector<std::string> namedParameters(const std::string &text)
{
    std::vector<std::string> names;
    const std::string opening = "(param \"";
    for (size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1)) {
        const size_t from = at + opening.size();
        names.push_back(text.substr(from, text.find('"', from) - from));
    }
    return names;
}

/// Landlock with the places that a clause of file-write* allows. Islands within them are left to
/// the text: rights only add up going down a tree.
bool holdWrites(const std::string &text, const std::map<std::string, std::string> &parameters)
{
    landlock_ruleset_attr attributes {};
    attributes.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG
        | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE
        | LANDLOCK_ACCESS_FS_REMOVE_DIR;
    const int ruleset
        = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
    if (ruleset < 0) {
        return false;
    }
    const auto allow = [&](const std::string &path, __u64 access) {
        const int place = open(path.c_str(), O_PATH | O_CLOEXEC);
        landlock_path_beneath_attr rule {};
        rule.allowed_access = access;
        rule.parent_fd = place;
        syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
        close(place);
    };
    const std::string opening = "(allow file-write*\n";
    for (size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1)) {
        const std::string clause = text.substr(at + opening.size(), 200);
        const std::vector<std::string> names = namedParameters(clause.substr(0, clause.find(')')));
        if (!names.empty()) {
            allow(parameters.at(names.front()), attributes.handled_access_fs);
        }
    }
    allow("/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}

void check(const std::string &text, const std::map<std::string, std::string> &parameters)
{
    if (text.rfind("(version 1)\n(deny default)\n", 0) != 0) {
        bad("it does not begin closed");
    }
    int depth = 0;
    bool quoted = false;
    for (const char c : text) {
        quoted = c == '"' ? !quoted : quoted;
        depth += quoted ? 0 : (c == '(') - (c == ')');
        if (depth < 0) {
            bad("unbalanced");
        }
    }
    if (depth != 0 || quoted) {
        bad("unbalanced");
    }
    std::map<std::string, bool> used;
    for (const std::string &name : namedParameters(text)) {
        if (parameters.count(name) == 0) {
            bad("unbound variable");
        }
        used[name] = true;
    }
    for (const auto &[name, value] : parameters) {
        if (!used[name]) {
            bad("a parameter without use");
        }
        if (value.size() > 8 && text.find(value) != std::string::npos) {
            bad("a path in the text");
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    const std::string self = argv[0];
    const std::string name = self.substr(self.rfind('/') + 1);
    if (name == "sandbox-exec-nested") {
        std::fprintf(stderr, "sandbox-exec: sandbox_apply: Operation not permitted\n");
        return kSystem;
    }
    if (name == "sandbox-exec-silent") {
        return 0;
    }
    if (name == "sandbox-exec-stuck") {
        pause();
    }
    std::string text;
    std::map<std::string, std::string> parameters;
    int at = 1;
    for (; at < argc && std::strcmp(argv[at], "--") != 0; ++at) {
        const std::string argument = argv[at];
        const size_t equals = argument.find('=');
        if (argument == "-p" && at + 1 < argc) {
            text = argv[++at];
        } else if (argument.rfind("-D", 0) == 0 && equals != std::string::npos) {
            parameters[argument.substr(2, equals - 2)] = argument.substr(equals + 1);
        } else {
            std::fprintf(stderr, "Usage: sandbox-exec ...\n");
            return kUsage;
        }
    }
    if (at + 1 >= argc) {
        return kUsage;
    }
    if (name == "sandbox-exec-old") {
        bad("unbound variable: allow");
    }
    check(text, parameters);
    if (const char *record = std::getenv("RECORD_POLICY")) {
        if (std::FILE *file = std::fopen(record, "w")) {
            std::fwrite(text.data(), 1, text.size(), file);
            std::fclose(file);
        }
    }
    if (name != "sandbox-exec-leaky" && !holdWrites(text, parameters)) {
        std::fprintf(stderr, "no Landlock here\n");
        return kSystem;
    }
    execvp(argv[at + 1], argv + at + 1);
    std::fprintf(
        stderr, "sandbox-exec: execvp() of '%s' failed: %s\n", argv[at + 1], std::strerror(errno));
    return kSystem;
}
