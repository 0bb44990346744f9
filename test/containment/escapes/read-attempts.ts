import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Limits } from "../../../src/shell/containment/containment.js";

/**
 * An escape that somebody once tried: a bash script in `attempts`, which runs as the command. Adding
 * one is adding a file.
 *
 * Its first comment is its name, a sentence that holds when the attempt fails. Fields follow:
 * `Source` (who found it), `Escape` (what would show outside that it worked), and where needed
 * `Forbidden` (a pattern for output, if nothing outside can show it), `Limits` (as in the settings)
 * and `Data` (North's data folder). Lines `### contained`, `### real` (an allowed command) and
 * `### outside` (planted before North starts) divide it into several commands of one session.
 *
 * Variables: PLACE holds everything planted; HOME, PROJECT, NEIGHBOUR and OUTSIDE lie in it; SECOND
 * is HOME by another path; SERVICE, LATE, BUS, ABSTRACT and PORT are services, PIPE is a named pipe; PARENT
 * is North's process; MARK names what an attempt may leave behind.
 */
export interface Attempt {
    readonly file: string;
    readonly name: string;
    readonly source: string;
    readonly escape: string;
    readonly forbidden?: string;
    readonly limits: Partial<Limits>;
    readonly data?: string;
    readonly sections: readonly Section[];
}

export interface Section {
    readonly where: "contained" | "real" | "outside";
    readonly command: string;
}

/** How to try attempts on one machine. */
export interface Trials {
    /** Each is tried in a run of its own. */
    readonly single: readonly Attempt[];
    /**
     * Attempts that share runs. Where something escapes, or a run is refused that should not be, smaller
     * groups are tried until it is known which attempt did it.
     */
    readonly shared: readonly SharedTrials[];
}

export interface SharedTrials {
    readonly attempts: readonly Attempt[];
    /** Their effects are not offered in any case. */
    readonly isRefused: boolean;
}

const FOLDER = fileURLToPath(new URL("./attempts", import.meta.url));
const SECTION = /^### (contained|real|outside)$/m;

/** Attempts on a North that starts with other settings, or where something is planted first. */
export function needsOwnNorth({ sections, data, limits }: Attempt): boolean {
    const isPlanted = sections.some(({ where }) => where === "outside");
    return isPlanted || data !== undefined || Object.keys(limits).length > 0;
}

/** Attempts of several commands, each of which starts as the one before left it. */
export function needsSession(attempt: Attempt): boolean {
    return attempt.sections.length > 1 || needsOwnNorth(attempt);
}

export function readAttempts(): readonly Attempt[] {
    return readdirSync(FOLDER)
        .sort()
        .map((file) => parse(file, readFileSync(path.join(FOLDER, file), "utf8")));
}

function parse(file: string, text: string): Attempt {
    const header = /^(?:# .*\n)+/.exec(text)?.[0] ?? "";
    const [first = "", ...others] = header.split("\n").map((line) => line.slice(2));
    const fields = new Map<string, string>();
    for (const line of others) {
        const [, field = "", value = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
        fields.set(field, value);
    }
    const [source, escape] = [fields.get("Source"), fields.get("Escape")];
    if (!first.endsWith(".") || source === undefined || escape === undefined) {
        throw new Error(`${file} lacks its name, Source or Escape.`);
    }
    const [start = "", ...rest] = text.slice(header.length).split(SECTION);
    const sections: Section[] = start.trim() ? [{ where: "contained", command: start }] : [];
    for (let index = 0; index < rest.length; index += 2) {
        const where = rest[index] as Section["where"];
        sections.push({ where, command: rest[index + 1] ?? "" });
    }
    const [forbidden, data] = [fields.get("Forbidden"), fields.get("Data")];
    const limits = [...(fields.get("Limits") ?? "").matchAll(/(\w+)=(\d+)/g)].map(
        ([, limit, value]) => [limit, Number(value)]
    );
    return {
        file,
        name: first.replace(/\.$/, ""),
        source,
        escape,
        ...(forbidden === undefined ? {} : { forbidden }),
        ...(data === undefined ? {} : { data }),
        limits: Object.fromEntries(limits) as Partial<Limits>,
        sections,
    };
}
