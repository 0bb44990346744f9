import { writeFileAtomically } from "../files/atomic-file.js";
import type { GrantId } from "./grant-values.js";
import { formatJson, type JsonRecord, readJson, setAside } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";

/** What was granted on this machine, from `trust.json`; nothing where that cannot be read. */
export async function readTrust(file: string): Promise<ReadonlySet<GrantId>> {
    const stored = await readJson(file);
    return stored.kind === "value" ? grantedIn(stored.value) : new Set();
}

/** Replaces what was granted on this machine, under a lock that the caller holds. */
export async function writeTrust(
    file: string,
    granted: ReadonlySet<GrantId>,
    options: {
        readonly root: string;
        readonly report: Report;
        readonly assertHeld: () => Promise<void>;
    }
): Promise<void> {
    const stored = await readJson(file);
    if (stored.kind === "corrupt") {
        options.report(
            `${file} could not be read (${stored.reason}); it is now ${await setAside(file)}.`
        );
    }
    const content: JsonRecord = {
        ...(stored.kind === "value" ? stored.value : {}),
        root: options.root,
        granted: [...granted].map((id): unknown => JSON.parse(id)),
    };
    await writeFileAtomically(file, formatJson(content), { beforeReplace: options.assertHeld });
}

function grantedIn(content: JsonRecord): ReadonlySet<GrantId> {
    const { granted } = content;
    return new Set(Array.isArray(granted) ? granted.map((each) => JSON.stringify(each)) : []);
}
