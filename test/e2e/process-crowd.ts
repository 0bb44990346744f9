import * as fs from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type { CostRecord } from "../../src/core/costs/ledger.js";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
    type ReceivedRequest,
    type Reply,
    type VendorCounts,
} from "../helpers/vendors/messages-server.js";
import { Workplace, type ProgramEnd } from "../helpers/north-program.js";
import { textsIn } from "./requests.js";

/** How many do how much. */
export interface CrowdSize {
    readonly workers: number;
    readonly turns: number;
    /** Others that come and are killed while the workers work. */
    readonly victims: number;
}

const ALLOWED = ["--accept-edits", "--approve-shell"];

/** Billionths of a dollar a token of Claude Sonnet 5.5, by the vendor's price list. */
const NANO = { input: 2000, output: 10_000, read: 100, write: 2500 };

/**
 * Many Norths at once, in one repository and one home: each worker holds a conversation of so many
 * turns, one process a turn, each with an edit and a command, and allows a command meanwhile.
 */
export class ProcessCrowd {
    readonly place: Workplace;
    private server!: MessagesServer;
    private served = 0;
    /** How long a turn takes at present, so that kills come at all of its moments. */
    private turnMs = 1000;
    private readonly workers: readonly string[];

    constructor(private readonly size: CrowdSize) {
        this.workers = Array.from({ length: size.workers }, (_, index) => `worker${index}`);
        this.place = new Workplace(
            Object.fromEntries(this.workers.map((name) => [`${name}.txt`, "count 0\n"]))
        );
    }

    /** Resolves with the number of processes that were killed while they ran. */
    async work(): Promise<number> {
        this.server = await startMessagesServer({ script: (request) => this.answer(request) });
        let isDone = false;
        const working = Promise.all(this.workers.map((name) => this.converse(name)));
        const watched = working.finally(() => (isDone = true));
        let killed = 0;
        const killing = async (share: number) => {
            for (let count = 0; count < share && !isDone; count += 1) {
                if (await this.killSomebody()) killed += 1;
            }
        };
        const half = Math.ceil(this.size.victims / 2);
        await Promise.all([watched, killing(half), killing(this.size.victims - half)]);
        return killed;
    }

    async close(): Promise<void> {
        await this.server.close();
        await this.place.remove();
    }

    /** Holds everything that is left against what was done. */
    async expectNothingLost(): Promise<void> {
        const { place, size } = this;
        expect(this.server.problems).to.deep.equal([]);
        const files = place.files();
        for (const name of this.workers) {
            expect(files[`${name}.txt`]).to.equal(`count ${size.turns}\n`);
        }

        const lines = (files["log.txt"] ?? "").split("\n").filter((line) => /^worker/.test(line));
        expect(lines.sort()).to.deep.equal(this.eachTurn((name, turn) => `${name} ${turn}`));
        await this.expectAllowed();
        // Who writes next sweeps up what a killed process was writing.
        await this.north("chat", "turn 1 of nobody", "-p");
        await this.north("allowlist", "add", "echo nobody");
        await this.expectCosts();
        await this.expectConversations();
        this.expectNoStrayFiles();
    }

    /** What has been counted in all, in billionths of a dollar. */
    recordedNano(): number {
        return this.recorded().reduce((sum, { usage }) => sum + nanoOf(usage), 0);
    }

    private eachTurn<Value>(make: (name: string, turn: number) => Value): Value[] {
        const turns = Array.from({ length: this.size.turns }, (_, turn) => turn + 1);
        return this.workers.flatMap((name) => turns.map((turn) => make(name, turn))).sort();
    }

    private async converse(name: string): Promise<void> {
        let id: string | undefined;
        for (let turn = 1; turn <= this.size.turns; turn += 1) {
            const begin = performance.now();
            const words = id === undefined ? ["chat"] : ["resume", id];
            const [end, added] = await Promise.all([
                this.north(...words, `turn ${turn} of ${name}`, "-p", "--output-format", "json"),
                this.north("allowlist", "add", `echo ${name} ${turn}`),
            ]);
            this.turnMs = performance.now() - begin;
            expect(added.code, added.stderr).to.equal(0);
            expect(end.code, end.stderr + end.stdout).to.equal(0);
            id = String(JSON.parse(end.stdout).conversationId);
        }
    }

    private north(...words: readonly string[]): Promise<ProgramEnd> {
        return this.place.run(this.words(words), { env: this.environment() });
    }

    private words([command = "", ...rest]: readonly string[]): string[] {
        return [command, ...rest, ...(/^(chat|resume)$/.test(command) ? ALLOWED : [])];
    }

    private environment() {
        return { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: this.server.url };
    }

    private async killSomebody(): Promise<boolean> {
        const kinds = [
            ["chat", "turn 1 of victim", "-p"],
            ["allowlist", "add", `echo victim ${Math.random()}`],
            ["costs"],
            ["chat", "turn 1 of victim", "-p"],
            ["conversations"],
        ];
        const words = kinds[Math.floor(Math.random() * kinds.length)] ?? [];
        const program = this.place.start(this.words(words), { env: this.environment() });
        await Promise.race([delay(Math.random() * 1.5 * this.turnMs), program.ended]);
        program.kill("SIGKILL");
        return (await program.ended).signal === "SIGKILL";
    }

    /** Every request is told another number of tokens, by which it is known again. */
    private answer(request: ReceivedRequest): Reply {
        this.served += 1;
        const usage = {
            input_tokens: 1000 + this.served,
            output_tokens: 7 + (this.served % 5),
            cache_read_input_tokens: this.served % 13,
            cache_creation_input_tokens: this.served % 11,
        };
        return { ...this.content(request), usage };
    }

    private content({ body }: ReceivedRequest): Reply {
        const isTurn = /^turn (\d+) of (\w+)$/;
        const at = body.messages.findLastIndex(({ content }) =>
            content.some((block) => isTurn.test(String(block.text)))
        );
        const asked = textsIn(body).findLast((each) => isTurn.test(each)) ?? "";
        const [, turn = "", name = ""] = isTurn.exec(asked) ?? [];
        const step = body.messages.slice(at).filter(({ role }) => role === "assistant").length;
        const old = `count ${Number(turn) - 1}`;
        const place = { path: `${name}.txt`, old, new: `count ${turn}` };
        if (step === 0) return reply(toolUse(`edit_${turn}`, "edit_replace_exact", place));
        const command = `echo ${name} ${turn} >> log.txt`;
        if (step === 1) return reply(toolUse(`run_${turn}`, "shell_run", { command }));
        return reply(text(`Turn ${turn} is done.`));
    }

    private async expectAllowed(): Promise<void> {
        const listed = JSON.parse((await this.north("allowlist", "--json")).stdout) as {
            allowedCommands: readonly { command: string }[];
        };
        const commands = listed.allowedCommands.map(({ command }) => command);
        const ours = commands.filter((command) => command.startsWith("echo worker")).sort();
        expect(ours).to.deep.equal(this.eachTurn((name, turn) => `echo ${name} ${turn}`));
    }

    private recorded(): readonly CostRecord[] {
        const log = fs.readFileSync(path.join(this.place.data, "costs.jsonl"), "utf8");
        return log
            .trimEnd()
            .split("\n")
            .map((line): CostRecord => JSON.parse(line));
    }

    /** Each request of a worker is counted once, one of a victim at most once, and the sums agree. */
    private async expectCosts(): Promise<void> {
        const told = new Map(this.server.counts.map((counts) => [counts.input_tokens, counts]));
        const recorded = this.recorded();
        for (const { usage } of recorded) {
            const counts = told.get(usage.inputTokens ?? 0);
            expect(counts, "a request that was served, once").not.to.equal(undefined);
            expect(nanoOf(usage)).to.equal(counts && nanoOfCounts(counts));
            told.delete(usage.inputTokens ?? 0);
        }
        const missing = this.server.requests.filter(
            (request, index) =>
                told.has(this.server.counts[index]?.input_tokens ?? 0) &&
                textsIn(request.body).some((each) => / of worker\d+$/.test(each))
        );
        expect(missing, "requests of workers that were not counted").to.deep.equal([]);

        const usd = this.recordedNano() / 1e9;
        for (const by of ["model", "provider", "project", "day"]) {
            const report = JSON.parse((await this.north("costs", "--json", "--by", by)).stdout);
            expect(report.totalUsd).to.equal(usd);
        }
        const summary = JSON.parse(
            fs.readFileSync(path.join(this.place.data, "costs.json"), "utf8")
        );
        expect(summary.allTimeCostUsd).to.equal(usd);
        expect(summary.total.requests).to.equal(recorded.length);
        expect(summary.damagedLines).to.equal(0);
    }

    private async expectConversations(): Promise<void> {
        const { conversations: listed } = JSON.parse(
            (await this.north("conversations", "--json")).stdout
        ) as { conversations: { id: string; firstWords: string; costUsd: number }[] };
        expect(listed.map(({ id }) => id).sort()).to.deep.equal(
            this.place.conversationIds().sort()
        );
        for (const name of this.workers) {
            const [own, ...others] = listed.filter(({ firstWords }) => firstWords.endsWith(name));
            expect(others).to.deep.equal([]);
            const costs = this.recorded().filter(
                ({ conversationId }) => conversationId === own?.id
            );
            expect(costs).to.have.lengthOf(3 * this.size.turns);
            const nano = costs.reduce((sum, { usage }) => sum + nanoOf(usage), 0);
            expect(own?.costUsd).to.equal(nano / 1e9);
        }
    }

    private expectNoStrayFiles(): void {
        for (const folder of [this.place.home, this.place.repository, this.place.temporary]) {
            const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
            expect(names.filter((name) => /\.tmp$|\.staged$|\.kept$/.test(name)))
                .to.deep //
                .equal([]);
        }
    }
}

function nanoOf(usage: CostRecord["usage"]): number {
    return (
        (usage.inputTokens ?? 0) * NANO.input +
        (usage.outputTokens ?? 0) * NANO.output +
        (usage.cacheReadTokens ?? 0) * NANO.read +
        (usage.cacheWriteTokens ?? 0) * NANO.write
    );
}

function nanoOfCounts(counts: VendorCounts): number {
    return (
        counts.input_tokens * NANO.input +
        counts.output_tokens * NANO.output +
        counts.cache_read_input_tokens * NANO.read +
        counts.cache_creation_input_tokens * NANO.write
    );
}
