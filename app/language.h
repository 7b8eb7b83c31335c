// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocale>

namespace deskhand::app {

/// Makes the program speak the locale's language, English when there is no translation, and sets
/// it as the locale of dates and numbers. May be called again. Main thread.
void useLanguage(const QLocale &locale);

} // namespace deskhand::app
