// SPDX-License-Identifier: Apache-2.0
#include "executor/sandbox/commandsplitter.h"

#include <cstdint>
#include <cstdlib>

/// Whatever is taken apart must be plain: no character with a meaning outside of quotes, no empty
/// command, and the same parts when they are quoted and joined again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace deskhand::sandbox;
    const QString text
        = QString::fromUtf8(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    const auto parts = splitPlainCommands(text);
    if (!parts) {
        return 0;
    }
    if (parts->isEmpty() || text.contains(u'`') || text.contains(u'\n')) {
        const bool quoted = text.contains(u'\'');
        if (parts->isEmpty() || text.contains(u'\n') || !quoted) {
            std::abort();
        }
    }
    QStringList joined;
    for (const QStringList &command : *parts) {
        if (command.isEmpty() || command.first().isEmpty()) {
            std::abort();
        }
        QStringList words;
        for (const QString &word : command) {
            if (word.contains(u'\'')) {
                return 0; // would need another kind of quotes
            }
            words.append(u'\'' + word + u'\'');
        }
        joined.append(words.join(u' '));
    }
    if (joined.join(QStringLiteral(" && ")).size() > 60'000) {
        return 0;
    }
    const auto again = splitPlainCommands(joined.join(QStringLiteral(" && ")));
    if (!again || *again != *parts) {
        std::abort();
    }
    return 0;
}
