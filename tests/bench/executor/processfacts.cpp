// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/executor/processfacts.h"

#include <QDir>
#include <QFile>

using namespace Qt::StringLiterals;

namespace {

/// The number behind `name:` in a status file, 0 when there is none.
qint64 field(const QByteArray &status, const QByteArray &name)
{
    const qsizetype at = status.indexOf('\n' + name + ':');
    const QByteArray rest = at < 0 ? QByteArray() : status.mid(at + name.size() + 2, 40);
    return rest.left(rest.indexOf('\n')).simplified().split(' ').constFirst().toLongLong();
}

QByteArray read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

Memory memoryOf(qint64 pid)
{
    const QByteArray status = read(u"/proc/%1/status"_s.arg(pid));
    const auto megabytes = [&status](const QByteArray &name) {
        return static_cast<double>(field(status, name)) / 1024.0;
    };
    return { megabytes("VmRSS"), megabytes("RssAnon"), megabytes("VmHWM") };
}

void resetPeak(qint64 pid)
{
    QFile file(u"/proc/%1/clear_refs"_s.arg(pid));
    if (file.open(QIODevice::WriteOnly | QIODevice::Unbuffered)) {
        file.write("5\n");
    }
}

Switches switchesOf(qint64 pid)
{
    Switches sum;
    const QDir threads(u"/proc/%1/task"_s.arg(pid));
    for (const QString &thread : threads.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QByteArray status = read(threads.filePath(thread + u"/status"_s));
        sum.voluntary += field(status, "voluntary_ctxt_switches");
        sum.involuntary += field(status, "nonvoluntary_ctxt_switches");
    }
    return sum;
}
