import { createHash } from "node:crypto";
import * as fs from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import {
    type ReceivedRequest,
    type Reply,
    reply,
    text,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import { resultsIn, textsIn } from "./requests.js";

/** A task is killed at most this often: a third crash without a reply in between is an error. */
const MAX_KILLS = 2;
/** Price of a request of 10 tokens in and 5 out, in US dollars. */
export const REQUEST_USD = (10 * 2 + 5 * 10) / 1e6;
const KEY = /task-(\d+)/;

interface ResultLine {
    readonly id: string;
    readonly answer: string;
    readonly patch: string;
    readonly costUsd: number;
    readonly turns: number;
    readonly stopReason: string;
}

/** Many tasks over one checkout, whose processes are killed at random moments. */
export class TaskCrowd {
    readonly place = new ClaudeWorkplace({ "a.txt": "one\n" });
    readonly file = path.join(this.place.folder, "tasks.jsonl");
    private readonly kills = new Map<string, number>();
    private readonly checkout: string;

    constructor(private readonly size: number) {
        const lines = this.ids().map((id) => JSON.stringify({ id, prompt: `Do ${id} now` }));
        fs.writeFileSync(this.file, `${lines.join("\n")}\n`);
        this.checkout = hashOf(this.place.repository);
    }

    ids(): string[] {
        return Array.from({ length: this.size }, (_, index) => `task-${index + 1}`);
    }

    /** Each task makes a file, reads it and answers: three requests. */
    async serve(): Promise<void> {
        await this.place.serve(nextReply);
    }

    /** Print mode's objects as results: each answer names its task. */
    withIds(stdout: string): string {
        const lines = stdout.split("\n").flatMap((line) => {
            if (line === "") return [];
            const { result: answer, draft, ...facts } = JSON.parse(line);
            const [id] = KEY.exec(answer) ?? [];
            return facts.isError
                ? []
                : JSON.stringify({ id, answer, patch: draft.patch, ...facts });
        });
        return `${lines.join("\n")}\n`;
    }

    /** Kills running tasks until all have ended; resolves with how many. */
    async killTasks(ended: Promise<unknown>, everyMs: number): Promise<number> {
        let hasEnded = false;
        let killed = 0;
        void ended.then(() => (hasEnded = true));
        while (!hasEnded) {
            await delay(Math.random() * 2 * everyMs);
            if (this.killOne()) killed += 1;
        }
        return killed;
    }

    /**
     * Holds the results against what the server counted and what the logs have. `stopped`: how many
     * tasks ran when the whole was stopped.
     */
    expectPaidOnce(stdout: string, stopped = 0): void {
        const results = stdout
            .trimEnd()
            .split("\n")
            .map((line): ResultLine => JSON.parse(line));
        expect(results.map(({ id }) => id).sort()).to.deep.equal(this.ids().sort());
        for (const { id, ...result } of results) {
            expect(result).to.include({ answer: `${id} is done.`, stopReason: "end" });
            expect(result.patch).to.contain(`+++ b/${id}.txt`).and.contain(`+made by ${id}\n`);
            const [replies] = this.completeReplies(id);
            expect(result.turns).to.be.within(replies ?? 0, (replies ?? 0) + MAX_KILLS + stopped);
            // A reply that was cut off after its usage is paid for, too.
            const paidRequests = Math.round(result.costUsd / REQUEST_USD);
            expect(paidRequests).to.be.within(replies ?? 0, (replies ?? 0) + stopped);
        }
        const cut = [...this.kills.values()].reduce((sum, each) => sum + each, stopped);
        const stored = this.ids().flatMap((id) => this.completeReplies(id));
        const paid = stored.reduce((sum, each) => sum + each, 0);
        // What a kill cut off is asked for again; nothing that was stored is.
        expect(this.place.server.requests.length - paid).to.be.within(0, cut);
        expect(hashOf(this.place.repository)).to.equal(this.checkout);
    }

    async close(): Promise<void> {
        await this.place.remove();
    }

    private killOne(): boolean {
        const running = this.place.processes().filter((line) => line.includes("--once"));
        const line = running[Math.floor(Math.random() * running.length)] ?? "";
        const [id = ""] = KEY.exec(line) ?? [];
        const kills = this.kills.get(id) ?? 0;
        if (id === "" || kills >= MAX_KILLS) return false;
        this.kills.set(id, kills + 1);
        try {
            process.kill(Number.parseInt(line, 10), "SIGKILL");
            return true;
        } catch {
            return false;
        }
    }

    /** Complete replies in the log of each conversation of a task: there is one. */
    private completeReplies(id: string): number[] {
        const { place } = this;
        const own = place.conversationIds().filter((conversation) => {
            const log = fs.readFileSync(place.conversationFile(conversation), "utf8");
            return log.includes(`"text":"Do ${id} now"`);
        });
        expect(own, `conversations of ${id}`).to.have.lengthOf(1);
        return own.map(
            (conversation) =>
                place
                    .records(conversation)
                    .filter(
                        (record) =>
                            record.type === "entry_updated" && record.changes?.status === "complete"
                    ).length
        );
    }
}

/** Makes each call until it has succeeded, as a model does after an interruption. */
function nextReply({ body }: ReceivedRequest): Reply {
    const [id = ""] =
        KEY.exec(textsIn(body).findLast((each) => /^Do task-/.test(each)) ?? "") ?? [];
    const results = Object.values(resultsIn(body));
    const steps = [
        ["edit_create_file", { path: `${id}.txt`, content: `made by ${id}\n` }],
        ["read_file", { path: `${id}.txt` }],
    ] as const;
    // A kill between a change and its result leaves the file, which is then there.
    const done = results.filter(({ ok, error }) => ok || /exists/.test(error?.message ?? ""));
    const [name, input] = steps[done.length] ?? [];
    if (name === undefined) return reply(text(`${id} is done.`));
    return reply(toolUse(`call_${results.length}`, name, input));
}

/** Of all names and contents below a folder, git's own included; North's cache is not. */
function hashOf(folder: string): string {
    const hash = createHash("sha256");
    const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    for (const name of names.filter((each) => !/^\.north(?:\/|$)/.test(each))) {
        const file = path.join(folder, name);
        const stats = fs.lstatSync(file);
        hash.update(`${name}\0${stats.mode}\0`);
        if (stats.isFile()) hash.update(fs.readFileSync(file));
    }
    return hash.digest("hex");
}
