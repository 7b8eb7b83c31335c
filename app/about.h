// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/core.h"

#include <QDialog>

namespace deskhand::app {

/// Versions, device id and licence, to read and to copy. Main thread.
class AboutDialog final : public QDialog
{
    Q_OBJECT
public:
    explicit AboutDialog(Core &core, QWidget *parent = nullptr);
};

} // namespace deskhand::app
