import { expect } from "chai";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";

/** What is typed, and what the chat answers before it asks for the next message. */
const WRONG: readonly (readonly [typed: string, answer: string])[] = [
    ["/allowlist foo", "Usage: /allowlist [remove COMMAND]"],
    ["/allowlist remove", "Usage: /allowlist [remove COMMAND]"],
    ["/allowlist remove nope", "Not on the allowlist: nope"],
    ["/auto foo bar", "Usage: /auto [edits|commands [--always]] | [edits|commands] off"],
    ["/auto edits maybe", "Usage: /auto [edits|commands [--always]] | [edits|commands] off"],
    ["/contain maybe", "Usage: /contain [auto|off|required|external]"],
    ["/copy x", "There is no answer to copy yet."],
    ["/drop", "Usage: /drop TURN"],
    ["/drop x", "Usage: /drop TURN"],
    ["/drop 99", "There is no turn 99"],
    ["/expand foo bar", "Usage: /expand [KIND] [N] (kinds: output, diff, result, thinking)"],
    ["/expand 0", "Usage: /expand [KIND] [N] (kinds: output, diff, result, thinking)"],
    ["/export /nowhere/x.md", "Nothing has been said in this conversation yet"],
    ["/fork x", '"x" is not a turn number.'],
    ["/jobs x", "There is no job x"],
    ["/jobs stop", "Usage: /jobs [ID | stop ID]"],
    ["/jobs stop 1 2", "Usage: /jobs [ID | stop ID]"],
    ["/learn maybe", "Usage: /learn [no]"],
    ["/logout nobody", 'There is no provider "nobody" that takes a key.'],
    ["/memory foo", "Usage: /memory [add [--global] TEXT | remove N]"],
    ["/memory add", "Usage: /memory [add [--global] TEXT | remove N]"],
    ["/memory remove 99", "There is no entry 99; /memory lists them."],
    ["/mode foo", 'There is no mode "foo". Usage: /mode [ask|plan|draft|agent]'],
    ["please /mode foo explain it", 'There is no mode "foo". Usage: /mode [ask|plan|draft|agent]'],
    ["/model nope", 'There is no model called "nope".'],
    ["/name", "This conversation has no name."],
    ["/race", "Usage: /race TASK [--models A,B] [--times N] [--until CMD] [--max-cost USD]"],
    ["/race Fix it", "Name the command that decides, with --until CMD or /until."],
    ["/race Fix it --until npm test", "--until needs one value; quote its spaces."],
    ["/race Fix it --until true --times 17", "--times takes a number from 1 to 16."],
    ["/race Fix it --max-cost no --until true", "--max-cost takes US dollars."],
    ["/rescue zzz", "There is no rescue zzz."],
    ["/rescue restore 3fa2c1", "`north rescue restore ID` and /rescue ID restore it."],
    ["/resume zzz", "There is no conversation zzz."],
    ["/shrink", "Name the command that must pass, or set it with /until."],
    ["/shrink true --turn x", "Usage: /shrink [CMD] [--turn N]"],
    ["/shrink true", "The conversation has no open draft."],
    ["/summarize x", "Usage: /summarize [--keep-last N]"],
    ["/summarize --keep-last", "Usage: /summarize [--keep-last N]"],
    ["/thinking hard", 'Claude Sonnet 5.5 has no thinking level "hard".'],
    ["/undo x", "Usage: /undo [TURNS]"],
    ["/undo 0", "Usage: /undo [TURNS]"],
    ["/until --max", "Usage: /until [CMD [--max N] | off]"],
    ["/until true --max x", "Usage: /until [CMD [--max N] | off]"],
    ["/until true --max 0", "--max takes a number from 1 to 100."],
    ["/worktree foo", "This session has no worktree"],
    ["/mo", "There is no /mo. /help lists the commands."],
    ["/undoo", "There is no /undoo. Did you mean /undo?"],
];

describe("Slash commands with wrong arguments", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal | undefined;

    beforeEach(() => {
        place = new ClaudeWorkplace();
    });
    afterEach(async () => {
        await terminal?.close();
        await place.remove();
    });

    it("Each slash command names what is wrong with its arguments, and nothing is sent or changed", async () => {
        await place.serve([]);
        const before = place.files();
        terminal = await place.chat([], { term: "dumb" });
        for (const [typed, answer] of WRONG) {
            const from = terminal.raw().length;
            terminal.type(`${typed}\r`);
            // The status line, and the prompt below it, may come between what was typed and its answer.
            await terminal.waitUntil(() => {
                const told = terminal?.raw().slice(from).replace(/\r/g, "");
                return /\n❯ *$/.test(told?.split(`${typed}\n`)[1]?.split(answer)[1] ?? "");
            }, `the answer to ${typed}`);
        }
        await terminal.waitFor(IDLE);
        expect(place.server.requests).to.deep.equal([]);
        expect(place.files()).to.deep.equal(before);
    });
});
