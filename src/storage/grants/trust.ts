import { writeFileAtomically } from "../files/atomic-file.js";
import type { ChangeMark } from "../../core/approval/changes.js";
import type { GrantId } from "./grant-id.js";
import { formatJson, type JsonRecord, readJson, setCorruptAside } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";

export interface Trust {
    readonly granted: ReadonlySet<GrantId>;
    readonly declined: ReadonlySet<GrantId>;
    /** Which changes of the model each allowed command was allowed after. */
    readonly since: ReadonlyMap<GrantId, ChangeMark>;
}

export const NO_TRUST: Trust = { granted: new Set(), declined: new Set(), since: new Map() };

/** Reads `trust.json`; returns no trust if it is damaged, and reports that. */
export async function readTrust(file: string, report: Report): Promise<Trust> {
    const stored = await readJson(file);
    if (stored.kind === "corrupt") {
        report(`${file} is damaged (${stored.reason}): allow again what was allowed here.`);
    }
    if (stored.kind !== "value") return NO_TRUST;
    const { granted, declined, since } = stored.value;
    return { granted: idsIn(granted), declined: idsIn(declined), since: marksIn(since) };
}

/** Writes `trust.json`; the caller must hold the lock. */
export async function writeTrust(
    file: string,
    { granted, declined, since }: Trust,
    options: {
        readonly root: string;
        readonly report: Report;
        readonly assertHeld: () => Promise<void>;
    }
): Promise<void> {
    const stored = await readJson(file);
    if (stored.kind === "corrupt") {
        await setCorruptAside(file, stored.reason, options.report);
    }
    const content: JsonRecord = {
        ...(stored.kind === "value" ? stored.value : {}),
        root: options.root,
        granted: [...granted].map((id): unknown => JSON.parse(id)),
        declined: [...declined].map((id): unknown => JSON.parse(id)),
        since: [...since]
            .filter(([id]) => granted.has(id))
            .map(([id, mark]): unknown => [JSON.parse(id), mark]),
    };
    await writeFileAtomically(file, formatJson(content), { beforeReplace: options.assertHeld });
}

/** Lets one command count from another point; without a point, from none. */
export function withMark(
    since: Trust["since"],
    id: GrantId,
    mark: ChangeMark | undefined
): Trust["since"] {
    const others = [...since].filter(([other]) => other !== id);
    return new Map(mark === undefined ? others : [...others, [id, mark]]);
}

function marksIn(list: unknown): ReadonlyMap<GrantId, ChangeMark> {
    const entries: readonly unknown[] = Array.isArray(list) ? list : [];
    return new Map(
        entries.flatMap((entry) =>
            Array.isArray(entry) && typeof entry[1] === "string"
                ? [[JSON.stringify(entry[0]), entry[1]] as const]
                : []
        )
    );
}

function idsIn(list: unknown): ReadonlySet<GrantId> {
    return new Set(Array.isArray(list) ? list.map((each) => JSON.stringify(each)) : []);
}
