// The chat in a real pseudo-terminal: how soon the prompt is back after Ctrl+C, and what a very
// long answer costs.
import { spawn } from "@lydell/node-pty";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
} from "../test/helpers/vendors/messages-server.js";
import type { ReceivedRequest, Reply } from "../test/helpers/vendors/messages-server.js";
import { eventually, PROGRAM, Workplace } from "../test/helpers/north-program.js";
import { openTerminal } from "../test/helpers/pseudo-terminal.js";
import { peakMemory, type BenchRow } from "./measure.js";

const MOMENTS = 50;
/** An uninterrupted conversation reaches its last, endless answer within this time. */
const MAX_WAIT_MS = 900;
const IDLE = /❯ *$/;
/** Below the 4 MB at which North ends a reply. */
const ANSWER_BYTES = 3_500_000;

export async function chatRows(): Promise<BenchRow[]> {
    return [...(await interruptRows()), ...(await longAnswerRows())];
}

async function interruptRows(): Promise<BenchRow[]> {
    const place = new Workplace({ "a.txt": "one\n", "b.txt": "two\n" });
    const server = await startMessagesServer({ script: nextReply });
    const terminal = openTerminal({
        command: process.execPath,
        args: [PROGRAM, "--approve-shell", "--accept-edits"],
        cwd: place.repository,
        env: place.environment(serverOf(server.url)),
    });
    const times: number[] = [];
    try {
        await terminal.waitFor(IDLE);
        for (let moment = 1; moment <= MOMENTS; moment += 1) {
            const work = `Work ${moment}`;
            terminal.type(`${work}\r`);
            await terminal.waitFor(`❯ ${work}\n`);
            await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_WAIT_MS));
            const start = performance.now();
            terminal.press("ctrl-c");
            await terminal.waitUntil(
                (screen) =>
                    IDLE.test(screen) &&
                    screen.lastIndexOf("[Cancelled]") > screen.lastIndexOf(`❯ ${work}`),
                "the prompt"
            );
            times.push(performance.now() - start);
            await eventually(() => !runsCommand(place), "the end of the command");
            terminal.type(`Check ${moment}\r`);
            await terminal.waitFor(`● Checked ${moment}.`);
            await terminal.waitFor(IDLE);
        }
    } finally {
        await terminal.close();
        await server.close();
        await place.remove();
    }
    times.sort((one, other) => one - other);
    const [median = 0, slowest = 0] = [times[times.length >> 1], times.at(-1)];
    return [
        {
            what: `Ctrl+C at ${MOMENTS} random moments to the prompt, median and slowest`,
            value: `${median.toFixed(0)} and ${slowest.toFixed(0)} ms`,
            bound: "100 ms",
            ok: slowest <= 100,
        },
        {
            what: "requests after them that a strict server refused",
            value: `${server.problems.length} of ${server.requests.length}`,
            bound: "0",
            ok: server.problems.length === 0,
        },
    ];
}

/** Reads, then runs a command, then answers endlessly; answers each `Check` at once. */
function nextReply({ body }: ReceivedRequest): Reply {
    const last = JSON.stringify(body.messages.at(-1));
    const check = /Check (\d+)/.exec(last)?.[1];
    if (check) return reply(text(`Checked ${check}.`));
    const id = `call_${body.messages.length}`;
    if (/Work \d+/.test(last)) {
        return reply(
            text("I look first."),
            toolUse(`${id}a`, "read_file", { path: "a.txt" }),
            toolUse(`${id}b`, "read_file", { path: "b.txt" })
        );
    }
    if (last.includes(`a"`)) {
        return reply(toolUse(id, "shell_run", { command: "echo begun; sleep 0.3; echo over" }));
    }

    const endless = reply(text("This answer has no end. ".repeat(40)));
    return { ...endless, interruption: { afterEvents: 5, how: "stall" } };
}

function runsCommand(place: Workplace): boolean {
    return place.processes().some((line) => / sleep 0\.3 /.test(line));
}

async function longAnswerRows(): Promise<BenchRow[]> {
    const line = (index: number) => `line ${index} has some **bold** words and \`code\`\n`;
    let answer = "";
    let count = 0;
    while (answer.length < ANSWER_BYTES) answer += line((count += 1));
    const place = new Workplace();
    const server = await startMessagesServer({ script: [reply(text(`${answer}The end.`, 40))] });
    const started = performance.now();
    const program = spawn(process.execPath, [PROGRAM], {
        name: "xterm-256color",
        cols: 80,
        rows: 24,
        cwd: place.repository,
        env: place.environment(serverOf(server.url)),
    });
    const shown: string[] = [];
    // Keep only the end: flattening a growing string on each check would look like a frozen screen.
    let [end, longestGap, lastData] = ["", 0, 0];
    const ended = new Promise<void>((resolve) => {
        program.onData((data) => {
            shown.push(data);
            end = (end + data).slice(-3000);
            const now = performance.now();
            // Until then this process is busy generating the answer.
            if (lastData > 0) longestGap = Math.max(longestGap, now - lastData);
            if (lastData > 0 || data.includes("line 1 ")) lastData = now;
            if (end.endsWith("\u001b[?2026l") && end.includes("The end.")) resolve();
        });
    });
    try {
        await eventually(() => end.includes("❯ "), "the prompt");
        program.write("Tell\r");
        await ended;
        const seconds = (performance.now() - started) / 1000;
        const megabytes = peakMemory(program.pid);
        const numbers = new Set(
            Array.from(shown.join("").matchAll(/line (\d+) has some/g), ([, n]) => n)
        );
        return [
            {
                what: "answer of 3.5 MB: lines shown",
                value: `${numbers.size} of ${count}`,
                bound: "all",
                ok: numbers.size === count,
            },
            {
                what: "the same: whole time, longest pause of the screen",
                value: `${seconds.toFixed(1)} s, ${longestGap.toFixed(0)} ms`,
                bound: "500 ms",
                ok: longestGap <= 500,
            },
            {
                what: "the same: resident memory at most",
                value: `${megabytes.toFixed(0)} MB`,
                bound: "300 MB",
                ok: megabytes <= 300,
            },
        ];
    } finally {
        program.kill("SIGKILL");
        await server.close();
        await place.remove();
    }
}

function serverOf(url: string) {
    return { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: url };
}
