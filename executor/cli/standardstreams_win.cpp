// SPDX-License-Identifier: Apache-2.0
#include "executor/cli/standardstreams.h"

#include <cstdio>
#include <fcntl.h>
#include <io.h>
#include <windows.h>

namespace deskhand::cli {
namespace {

HANDLE handleOf(StandardStream stream)
{
    switch (stream) {
    case StandardStream::In:
        return GetStdHandle(STD_INPUT_HANDLE);
    case StandardStream::Out:
        return GetStdHandle(STD_OUTPUT_HANDLE);
    case StandardStream::Err:
        break;
    }
    return GetStdHandle(STD_ERROR_HANDLE);
}

} // namespace

void prepareStandardStreams()
{
    // UTF-8 whatever the console's code page is.
    SetConsoleOutputCP(CP_UTF8);
    SetConsoleCP(CP_UTF8);
}

bool isTerminal(StandardStream stream)
{
    DWORD mode = 0;
    return GetConsoleMode(handleOf(stream), &mode) != 0;
}

void writeAll(StandardStream stream, const QByteArray &bytes)
{
    const char *next = bytes.constData();
    auto left = static_cast<DWORD>(bytes.size());
    DWORD written = 0;
    while (left > 0 && WriteFile(handleOf(stream), next, left, &written, nullptr)) {
        next += written;
        left -= written;
    }
}

QByteArray readAllInput(qsizetype maxBytes)
{
    QByteArray input;
    char buffer[65536];
    DWORD count = 0;
    while (input.size() <= maxBytes
        && ReadFile(handleOf(StandardStream::In), buffer, sizeof(buffer), &count, nullptr)
        && count > 0) {
        input.append(buffer, static_cast<qsizetype>(count));
    }
    return input;
}

QByteArray readHiddenLine()
{
    const HANDLE in = handleOf(StandardStream::In);
    DWORD before = 0;
    const bool terminal = GetConsoleMode(in, &before) != 0;
    if (terminal) {
        SetConsoleMode(in, before & ~static_cast<DWORD>(ENABLE_ECHO_INPUT));
    }
    QByteArray line;
    char byte = 0;
    DWORD count = 0;
    while (ReadFile(in, &byte, 1, &count, nullptr) && count == 1 && byte != '\n') {
        line.append(byte);
    }
    if (terminal) {
        SetConsoleMode(in, before);
    }
    return line;
}

} // namespace deskhand::cli
