import { readFileSync } from "node:fs";
import path from "node:path";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { expect } from "chai";
import { Conversation } from "../../src/core/conversation/fold.js";
import { evidenceByTurn } from "../../src/core/history/evidence.js";
import { checkFinder } from "../../src/host/effects/check-finder.js";
import type { JournalRecord } from "../../src/plugin/records.js";
import type { Answer } from "../helpers/acp-editor.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { commitAll, pathWithPlainNpm, repliesOf, takeTurns } from "../helpers/command-session.js";
import { patient } from "../helpers/patience.js";
import { itUnsampled, sampled } from "../helpers/sample.js";
import { reply, type Reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { describeContained } from "../shell/containment/contained.js";
import { git } from "../workspace/make-folder.js";
import { EVENING_FILES, EVENING_TURNS } from "./evening.js";
import { ALL_ROUNDS, SHOP_FILES, shortRounds } from "./recorded-mix.js";

interface Session {
    readonly name: string;
    readonly files: Readonly<Record<string, string>>;
    readonly turns: readonly (readonly Reply[])[];
    /** Of commands, npm's among them, that other tests replay with npm itself. */
    readonly isCommands?: boolean;
    /** Questions of each turn, by mode. */
    readonly counts?: Readonly<Record<Mode, readonly number[]>>;
}

type Mode = "agent" | "draft";

/** A recorded conversation's replies, and the files that it began with. */
function recording(name: string, counts: NonNullable<Session["counts"]>): Session {
    const folder = path.resolve("test/fixtures/recordings", name);
    const {
        files,
        objects,
    }: Record<"files" | "objects", Record<string, string>> = JSON.parse(
        readFileSync(path.join(folder, "project.json"), "utf8")
    );
    const lines = readFileSync(path.join(folder, "conversation.jsonl"), "utf8").trim().split("\n");
    const records = lines.map((line): JournalRecord => JSON.parse(line));
    const { entries } = Conversation.of(records);
    const start: Record<string, string> = { ...files };
    const turns: Reply[][] = [];
    for (const entry of entries.toReversed()) {
        if (entry.kind !== "change") continue;
        for (const { path: file, beforeHash } of entry.files) {
            if (beforeHash === null) delete start[file];
            else start[file] = Buffer.from(objects[beforeHash] ?? "", "base64").toString();
        }
    }
    for (const entry of entries) {
        if (entry.kind === "user") turns.push([]);
        if (entry.kind !== "assistant" || entry.status !== "complete") continue;
        const blocks = entry.content.flatMap((part) =>
            part.type === "text"
                ? text(part.text)
                : part.type === "tool-call"
                  ? toolUse(part.callId, part.name, part.input)
                  : []
        );
        turns.at(-1)?.push(reply(...blocks));
    }
    return { name, counts, files: start, turns };
}

const SESSIONS: readonly Session[] = [
    recording("edits", { agent: [2, 2, 1], draft: [1, 1, 1] }),
    recording("summarized", { agent: [1, 1, 1, 0], draft: [1, 1, 1, 0] }),
    {
        name: "evening",
        isCommands: true,
        counts: { agent: [0, 1, 5, 5, 5, 5, 1], draft: [0, 1, 2, 2, 2, 2, 1] },
        files: EVENING_FILES,
        turns: EVENING_TURNS.map((turn, index) =>
            repliesOf(
                turn.filter(({ kind }) => kind !== "real"),
                `turn_${index}`
            )
        ),
    },
    {
        name: "mix",
        isCommands: true,
        files: SHOP_FILES,
        turns: shortRounds(sampled(ALL_ROUNDS)).map((commands, index) =>
            repliesOf(
                commands.filter(({ kind }) => kind !== "real"),
                `turn_${index}`
            )
        ),
    },
];

const answer: Answer = ({ options }) =>
    options.some(({ optionId }) => optionId === "draft-first") ? "draft-first" : "yes";

/** What a turn's checks showed, in the order of their names. */
async function evidenceIn(records: readonly JournalRecord[]) {
    const { entries } = Conversation.of(records);
    const found = await evidenceByTurn(entries, checkFinder("/"));
    return [...found.values()].map(({ checks }) =>
        checks
            .map(
                ({ command, result, isAfterLastEdit }) => `${command} ${result} ${isAfterLastEdit}`
            )
            .sort()
    );
}

async function taken(session: Session, mode: Mode) {
    const place = new ClaudeWorkplace(session.files);
    place.configure({ containment: "auto", mode });
    const removeOrigin = commitAll(place);
    const PATH = process.env.PATH ?? "";
    const env = session.isCommands ? { PATH: pathWithPlainNpm(place, PATH) } : {};
    try {
        const { asked } = await takeTurns(place, session.turns, answer, { env });
        const [id = ""] = place.conversationIds();
        const files = Object.entries(place.files()).filter(([file]) => !file.startsWith("dist/"));
        const end = {
            files: Object.fromEntries(files),
            commits: git(place.repository, "log", "--format=%s %T"),
            status: git(place.repository, "status", "--short"),
            evidence: await evidenceIn(place.records(id)),
        };
        return { asked, end };
    } finally {
        removeOrigin();
        await place.remove();
    }
}

const titles = (asked: readonly (readonly RequestPermissionRequest[])[]) =>
    asked.map((turn) => turn.map(({ toolCall }) => String(toolCall.title)));

/** Also of a turn that only built something. */
const REVIEW = /^(?:Apply the draft: |Keep what the command left in )/;
/** What no draft can hold. */
const REAL = /^Run git |^Pushes to /;

describeContained("A recorded session in agent mode and in draft mode", () => {
    for (const { counts, ...session } of SESSIONS) {
        // Other files replay their commands as well, and `edits` and `summarized` show the rest.
        const test = /evening|mix/.test(session.name) ? itUnsampled : it;
        test(`The session "${session.name}" ends with the same bytes, commits and evidence, and a draft asks once a turn besides what changes git`, async () => {
            const real = await taken(session, "agent");
            const drafted = await taken(session, "draft");
            const [inAgent, inDraft] = [titles(real.asked), titles(drafted.asked)];
            const shown = JSON.stringify({ agent: inAgent, draft: inDraft }, null, 1);
            for (const turn of inDraft) {
                const reviews = turn.filter((title) => REVIEW.test(title));
                expect(reviews.length, shown).to.be.at.most(1);
                const others = turn.filter((title) => !REVIEW.test(title) && !REAL.test(title));
                expect(others, shown).to.deep.equal([]);
                expect(new Set(turn).size, "a question asked twice").to.equal(turn.length);
            }
            if (counts) {
                const lengths = [inAgent, inDraft].map((turns) =>
                    turns.map(({ length }) => length)
                );
                expect(lengths, shown).to.deep.equal([counts.agent, counts.draft]);
            }
            expect(inDraft.flat().length).to.be.at.most(inAgent.flat().length);
            expect(drafted.end).to.deep.equal(real.end);
            // Hundreds of contained commands, twice, beside other tests: minutes of computing.
        }).timeout(patient(1_800_000));
    }
});
