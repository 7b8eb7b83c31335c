// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/terminal.h"

namespace deskhand::cli {

// A console cannot be read from the event loop here; requests are answered with `requests answer`.
class Terminal::Private
{ };

std::unique_ptr<Terminal> Terminal::open()
{
    return {};
}

Terminal::Terminal(std::unique_ptr<Private> opened)
    : d(std::move(opened))
{ }

Terminal::~Terminal() = default;

void Terminal::ask(const QString & /*prompt*/, bool /*hidden*/, const Line &line)
{
    line(std::nullopt);
}

void Terminal::cancel() { }

} // namespace deskhand::cli
