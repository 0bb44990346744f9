import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";

import {
    reply,
    text,
    toolUse,
    type ReceivedRequest,
    type Reply,
} from "../helpers/vendors/messages-server.js";
import { sampled } from "../helpers/sample.js";
import { eventually } from "../helpers/north-program.js";

const WORDS = 12;

/** Numbers that look random and are the same in each run (Lehmer). */
function* numbers(seed: number): Generator<number, never> {
    for (let state = seed; ;) yield (state = (state * 48_271) % 2_147_483_647);
}

/** A message, and what is on the screen when it is cancelled. */
interface Moment {
    readonly message: string;
    readonly sign: string;
}

function momentsOf(seed: number): readonly Moment[] {
    const random = numbers(seed);
    const upTo = (count: number): number => 1 + (random.next().value % count);
    const talk = (): Moment => ({ message: "Talk", sign: `word${upTo(WORDS)} ` });
    const run = (how: string): Moment => ({ message: how, sign: `step${upTo(5)}` });
    const moments = [
        talk(),
        talk(),
        run("Run"),
        run("Run"),
        run("Ignore"),
        { message: "Edit", sign: "y yes" },
        { message: "Ask", sign: "y yes" },
        { message: "!for n in 1 2 3; do echo step$n; done; sleep 601", sign: "step2" },
    ];
    return moments
        .map((moment) => ({ moment, place: upTo(1000) }))
        .sort((one, other) => one.place - other.place)
        .map(({ moment }) => moment);
}

/** Each answer stays unfinished until it is cancelled, but that to `Check`. */
function nextReply({ body }: ReceivedRequest): Reply {
    const last = JSON.stringify(body.messages.at(-1));
    const id = `call_${body.messages.length}`;
    const steps = "for n in 1 2 3 4 5; do echo step$n; done";
    const command = (line: string): Reply => reply(toolUse(id, "shell_run", { command: line }));
    const check = /Check (\d+)/.exec(last)?.[1];
    if (check) return reply(text(`Checked ${check}.`));
    if (last.includes("Run")) return command(`${steps}; sleep 601`);
    if (last.includes("Ignore")) return command(`trap '' INT TERM; ${steps}; sleep 601 & wait`);
    if (last.includes("Ask")) return command("sleep 601");
    if (last.includes("Edit")) {
        const edits = [{ toolName: "edit_create_file", args: { path: "new.txt", content: "1\n" } }];
        return reply(toolUse(id, "edit_apply_batch", { edits }));
    }
    const words = Array.from({ length: 2 * WORDS }, (_, index) => `word${index + 1} `).join("");
    return { ...reply(text(words, 7)), interruption: { afterEvents: 2 * WORDS, how: "stall" } };
}

describe("Ctrl+C at any moment of a conversation", () => {
    let place: ClaudeWorkplace;

    beforeEach(async () => {
        place = new ClaudeWorkplace();
        await place.serve(nextReply);
    });
    afterEach(() => place.remove());

    const commandRuns = () => place.processes().some((line) => /sleep 601/.test(line));

    for (const seed of sampled([7, 1871], 1)) {
        it(`Ctrl+C returns the prompt and ends commands, and the next message is answered (${seed})`, async () => {
            const terminal = await place.chat();
            for (const [index, { message, sign }] of momentsOf(seed).entries()) {
                const before = terminal.transcript().split(message).length;
                const since = () =>
                    terminal.transcript().split(message).slice(before).join(message);
                terminal.type(`${message}\r`);
                if (["Run", "Ignore"].includes(message)) {
                    await terminal.waitUntil(() => since().includes("y yes"), "the review");
                    await answer(terminal, "yes");
                }
                await terminal.waitUntil(() => since().includes(sign), `${message}: ${sign}`);
                terminal.press("ctrl-c");
                await terminal.waitUntil(
                    (screen) => since().includes("[Cancelled]") && IDLE.test(screen),
                    "the prompt"
                );
                await eventually(() => !commandRuns(), "the end of the command");
                terminal.type(`Check ${index}\r`);
                await terminal.waitFor(`● Checked ${index}.`);
                await terminal.waitFor(IDLE);
            }
            expect(place.server.problems).to.deep.equal([]);
            expect(place.files()).not.to.have.property("new.txt");
        });
    }
});
