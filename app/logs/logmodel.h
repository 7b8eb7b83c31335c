// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/logging/log.h"

#include <QAbstractTableModel>
#include <QList>
#include <QMutex>

#include <deque>

namespace deskhand::app {

/// The last lines of the log as a table, newest at the end. Lines come from any thread and are
/// taken over in batches on the main thread, where the model lives. Owned by main.
class LogModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Time, Level, Source, Text, ColumnCount };
    static constexpr int kLimit = 50'000;

    explicit LogModel(QObject *parent = nullptr);
    ~LogModel() override;

    /// Takes the program's log lines from now on.
    void listen();
    /// Adds a line; any thread.
    void push(const logging::LogLine &line);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] const logging::LogLine &line(int row) const
    {
        return m_lines[static_cast<size_t>(row)];
    }
    [[nodiscard]] QStringList sources() const { return m_sources; }
    /// One line as text: time with offset, letter, source, text.
    [[nodiscard]] static QString asText(const logging::LogLine &line);

    void clear();

Q_SIGNALS:
    void sourcesChanged();

private:
    void takeOver();

    QMutex m_mutex; // guards m_incoming and m_announced
    QList<logging::LogLine> m_incoming;
    bool m_announced = false;
    std::deque<logging::LogLine> m_lines;
    QStringList m_sources;
};

} // namespace deskhand::app
