import {
    createConversationStore,
    type ConversationStore,
} from "../storage/conversations/conversations.js";
import { createLedger } from "../storage/costs/ledger.js";
import { createObjectStore } from "../storage/files/object-store.js";
import { createRescueStore, type RescueStore } from "../storage/files/rescue-store.js";
import { createStaging, stagingFolder } from "../storage/files/staging.js";
import { createGrants, type GrantsOptions } from "../storage/grants/grants.js";
import { sweepNorthFolder } from "../storage/grants/north-folder.js";
import { createMemoryStore, type MemoryStore } from "../storage/memory.js";
import type { ContentStore } from "../core/conversation/content-store.js";
import type { Ledger } from "../core/costs/ledger.js";
import type { Staging } from "../core/files/staging.js";
import { findRoot, type Root } from "../workspace/find-root.js";

/** What North stores about a repository, and about all. Nothing is read before it is needed. */
export interface ProjectStores extends Root {
    readonly conversations: ConversationStore;
    /** The contents of files before and after each edit, and long outputs. */
    readonly contents: ContentStore;
    readonly grants: ReturnType<typeof createGrants>;
    readonly rescues: RescueStore;
    readonly ledger: Ledger;
    readonly memory: MemoryStore;
    /** A conversation's streamed files that are not in place yet. */
    staging(conversationId: string): Staging;
}

type StoresOptions = Omit<GrantsOptions, "root" | "dataFolder">;

/** The stores of the repository around `folder`, without what killed processes left in it. */
export async function openStores(
    dataFolder: string,
    folder: string,
    options?: StoresOptions
): Promise<ProjectStores> {
    const found = await findRoot(folder);
    // A folder that is not writable has nothing to sweep.
    await sweepNorthFolder(found.root).catch(() => {});
    return storesOf(dataFolder, found, options);
}

export function storesOf(
    dataFolder: string,
    { root, isRepository }: Root,
    options: StoresOptions = {}
): ProjectStores {
    const { report = () => {} } = options;
    const grants = createGrants({ ...options, root, dataFolder });
    return {
        root,
        isRepository,
        conversations: createConversationStore(dataFolder),
        contents: createObjectStore(dataFolder),
        grants,
        rescues: createRescueStore(dataFolder, root, report),
        ledger: createLedger({ dataFolder, report }),
        memory: createMemoryStore({ root, dataFolder, report, notes: grants }),
        staging: (id) => createStaging(stagingFolder(dataFolder, id)),
    };
}
