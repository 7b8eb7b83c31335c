// SPDX-License-Identifier: Apache-2.0
#include "app/settings/modeltesttext.h"

#include "app/coretext/coretext.h"
#include "app/visibletext.h"

#include <QLocale>

namespace deskhand::app {

QString ModelTestText::of(const modelproxy::ModelTestReport &report)
{
    const QLocale locale;
    QStringList lines;
    if (report.problem.isEmpty()) {
        lines << tr("Works.");
    } else {
        lines << visibleText(CoreText::withNextStep(
            CoreText::translated(report.problem), CoreText::translated(report.hint)));
    }
    if (report.firstByte.count() > 0) {
        lines << tr("First answer after %1 ms, everything after %2 ms.")
                     .arg(locale.toString(static_cast<qlonglong>(report.firstByte.count())),
                         locale.toString(static_cast<qlonglong>(report.total.count())));
    }
    if (report.answered) {
        lines << (report.calledTool ? tr("Tool calls: yes.") : tr("Tool calls: no."));
    }
    if (report.contextWindow) {
        lines << tr("Context window: %1 tokens.").arg(locale.toString(*report.contextWindow));
    }
    if (!report.model.isEmpty()) {
        lines << tr("The provider calls it %1.").arg(visibleText(report.model.left(120)));
    }
    return lines.join(u'\n');
}

} // namespace deskhand::app
