<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en">
<context>
    <name>deskhand::app::AccountPage</name>
    <message numerus="yes">
        <source>This computer has %n core(s); tasks may slow each other down.</source>
        <translation>
            <numerusform>This computer has %n core; tasks may slow each other down.</numerusform>
            <numerusform>This computer has %n cores; tasks may slow each other down.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>deskhand::app::EnginePage</name>
    <message numerus="yes">
        <source>%n running task(s) will be interrupted.</source>
        <translation>
            <numerusform>%n running task will be interrupted.</numerusform>
            <numerusform>%n running tasks will be interrupted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>deskhand::app::ModelDialog</name>
    <message numerus="yes">
        <source>%n model(s) offered.</source>
        <translation>
            <numerusform>%n model offered.</numerusform>
            <numerusform>%n models offered.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>deskhand::app::Notifier</name>
    <message numerus="yes">
        <source>%n request(s) still waiting</source>
        <translation>
            <numerusform>%n request still waiting</numerusform>
            <numerusform>%n requests still waiting</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) for permission</source>
        <translation>
            <numerusform>%n request for permission</numerusform>
            <numerusform>%n requests for permission</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) finished</source>
        <translation>
            <numerusform>%n task finished</numerusform>
            <numerusform>%n tasks finished</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) failed</source>
        <translation>
            <numerusform>%n task failed</numerusform>
            <numerusform>%n tasks failed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>deskhand::app::Parts</name>
    <message numerus="yes">
        <source>%n update(s) waiting to be sent</source>
        <translation>
            <numerusform>%n update waiting to be sent</numerusform>
            <numerusform>%n updates waiting to be sent</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) waiting</source>
        <translation>
            <numerusform>%n request waiting</numerusform>
            <numerusform>%n requests waiting</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Finishing %n task(s) before quitting</source>
        <translation>
            <numerusform>Finishing %n task before quitting</numerusform>
            <numerusform>Finishing %n tasks before quitting</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n task(s) running</source>
        <translation>
            <numerusform>%n task running</numerusform>
            <numerusform>%n tasks running</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued</source>
        <translation>
            <numerusform>%n queued</numerusform>
            <numerusform>%n queued</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>deskhand::app::PromptWindow</name>
    <message numerus="yes">
        <source>Also the %n &amp;identical request(s)</source>
        <translation>
            <numerusform>Also the %n &amp;identical request</numerusform>
            <numerusform>Also the %n &amp;identical requests</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>deskhand::app::QuitDialog</name>
    <message numerus="yes">
        <source>%n task(s) still running:</source>
        <translation>
            <numerusform>%n task still running:</numerusform>
            <numerusform>%n tasks still running:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n queued task(s) will not be started.</source>
        <translation>
            <numerusform>%n queued task will not be started.</numerusform>
            <numerusform>%n queued tasks will not be started.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) wait for your decision.</source>
        <translation>
            <numerusform>%n request waits for your decision.</numerusform>
            <numerusform>%n requests wait for your decision.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>deskhand::app::TaskWindow</name>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n new</numerusform>
            <numerusform>%n new</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>deskhand::app::Timeline</name>
    <message numerus="yes">
        <source>Show all %n line(s)</source>
        <translation>
            <numerusform>Show all %n line</numerusform>
            <numerusform>Show all %n lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Show all (%n earlier line(s) hidden)</source>
        <translation>
            <numerusform>Show all (%n earlier line hidden)</numerusform>
            <numerusform>Show all (%n earlier lines hidden)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n picture(s)</source>
        <translation>
            <numerusform>%n picture</numerusform>
            <numerusform>%n pictures</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>deskhand::app::Wording</name>
    <message numerus="yes">
        <source>Change %n file(s)</source>
        <translation>
            <numerusform>Change %n file</numerusform>
            <numerusform>Change %n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Answer %n question(s)</source>
        <translation>
            <numerusform>Answer %n question</numerusform>
            <numerusform>Answer %n questions</numerusform>
        </translation>
    </message>
</context>
</TS>
