// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/engines/permission.h"

#include <QWidget>

class QVBoxLayout;

namespace deskhand::app {

class QuestionForm;

/// What one request asks for, by kind: the command in parts, the files with their changes, the
/// grants, the host, the questions. Nothing is shortened without a way to see all of it. Made anew
/// for each request. Main thread.
class RequestView final : public QWidget
{
    Q_OBJECT
public:
    explicit RequestView(const engines::PermissionRequest &request, QWidget *parent = nullptr);

    /// Nothing is left to fill in.
    [[nodiscard]] bool isComplete() const;
    [[nodiscard]] QHash<QString, QStringList> answers() const;

Q_SIGNALS:
    void changed();

private:
    void addCommand(const engines::PermissionRequest &request);
    void addFiles(const engines::PermissionRequest &request);
    void addGrants(const engines::PermissionRequest &request);
    void addNetwork(const engines::PermissionRequest &request);
    void addTool(const engines::PermissionRequest &request);
    void addFact(const QString &name, const QString &text, const QString &objectName);

    QVBoxLayout *m_layout;
    QuestionForm *m_form = nullptr;
};

} // namespace deskhand::app
