import { writeFileAtomically } from "../files/atomic-file.js";
import type { GrantId } from "./grant-values.js";
import { formatJson, type JsonRecord, readJson, setCorruptAside } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";

export interface Trust {
    readonly granted: ReadonlySet<GrantId>;
    readonly declined: ReadonlySet<GrantId>;
}

export const NO_TRUST: Trust = { granted: new Set(), declined: new Set() };

/** Reads `trust.json`; returns no trust if it is damaged, and reports that. */
export async function readTrust(file: string, report: Report): Promise<Trust> {
    const stored = await readJson(file);
    if (stored.kind === "corrupt") {
        report(`${file} is damaged (${stored.reason}): allow again what was allowed here.`);
    }
    if (stored.kind !== "value") return NO_TRUST;
    return { granted: idsIn(stored.value.granted), declined: idsIn(stored.value.declined) };
}

/** Writes `trust.json`; the caller must hold the lock. */
export async function writeTrust(
    file: string,
    { granted, declined }: Trust,
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
    };
    await writeFileAtomically(file, formatJson(content), { beforeReplace: options.assertHeld });
}

function idsIn(list: unknown): ReadonlySet<GrantId> {
    return new Set(Array.isArray(list) ? list.map((each) => JSON.stringify(each)) : []);
}
