// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace deskhand::cli {

/// Lines a person types at the controlling terminal, read from the event loop. Main thread.
class Terminal final : public QObject
{
    Q_OBJECT
public:
    /// Null when this process has no terminal (or the system gives none to ask on).
    [[nodiscard]] static std::unique_ptr<Terminal> open();
    ~Terminal() override;
    Q_DISABLE_COPY_MOVE(Terminal)

    /// Shows the prompt and hands over one line; nothing when the terminal ended. What was typed
    /// before the prompt was there is thrown away, so that no stray key is an answer. One question
    /// at a time; a new one replaces the old.
    using Line = std::function<void(const std::optional<QString> &line)>;
    void ask(const QString &prompt, bool hidden, const Line &line);
    void cancel();

private:
    class Private;
    explicit Terminal(std::unique_ptr<Private> opened);
    std::unique_ptr<Private> d;
};

} // namespace deskhand::cli
