import type { Config } from "@oclif/core";
import { NorthError } from "../../base/north-error.js";
import { counted } from "../../base/format.js";
import { messageOf } from "../../base/system-error.js";
import { withTimeLimit } from "../../base/waiting.js";
import { readCatalogue } from "../../core/registry/model-catalogue.js";
import { valuesOf } from "../../core/registry/registry.js";
import type { Prices, Provider } from "../../plugin/index.js";
import { createNodeHttpFetch } from "../../provider-kit/node-http-fetch.js";
import { readConfig } from "../../storage/config.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import {
    readStoredCatalogue,
    storeCatalogue,
    type StoredCatalogue,
} from "../../storage/model-catalogue.js";
import { loadRegistry } from "../project/load-plugins.js";

const DEFAULT_CATALOGUE = "https://models.dev/api.json";

const LIMIT_MS = 30_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_ROWS = 20;

/** The catalogue's names, where they are not North's. */
const NAMES: Readonly<Record<string, string>> = {
    bedrock: "amazon-bedrock",
    vertex: "google-vertex",
};

/** A model whose prices differ between the catalogue and North, which keeps its own. */
interface Difference {
    readonly model: string;
    readonly own: Prices;
    readonly catalogue: Prices;
}

interface RefreshedCatalogue extends Omit<StoredCatalogue, "models" | "version"> {
    /** Whether the source had nothing new. */
    readonly isUnchanged: boolean;
    readonly modelCount: number;
    readonly different: readonly Difference[];
}

/**
 * Reads the catalogue again if it changed, and stores what is plausible. Rejects with
 * `catalogue-unusable`, and then keeps what was stored.
 */
export async function refreshCatalogue(
    config: Config,
    directories: NorthDirectories
): Promise<RefreshedCatalogue> {
    const { modelCatalogue: source = DEFAULT_CATALOGUE } = await readConfig(directories.config);
    const providers = valuesOf((await loadRegistry(config)).providers);
    // The servers of the others say themselves what they offer.
    const listed = providers.filter(({ discover, isConfigured }) => !discover && !isConfigured);
    const names = new Map(listed.map(({ id }) => [id, NAMES[id] ?? id]));
    const stored = await readStoredCatalogue(directories.data);
    const isSame =
        stored?.source === source && stored.providers.join() === [...names.keys()].join();
    const answer = await fetchCatalogue(source, isSame ? stored.etag : undefined);
    const checkedAt = new Date().toISOString();
    const isUnchanged = answer === "unchanged" && stored !== undefined;
    const next = isUnchanged
        ? { ...stored, checkedAt }
        : toStored(answer, source, names, checkedAt);
    await storeCatalogue(directories.data, next);
    const { models, version: _version, ...said } = next;
    const different = differences(providers, next);
    return { ...said, isUnchanged, modelCount: models.length, different };
}

interface Answer {
    readonly catalogue: unknown;
    readonly etag?: string;
}

async function fetchCatalogue(source: string, etag?: string): Promise<Answer | "unchanged"> {
    const fetch = createNodeHttpFetch({ maxBytes: MAX_BYTES });
    const headers = { accept: "application/json", ...(etag && { "if-none-match": etag }) };
    try {
        return await withTimeLimit(LIMIT_MS, async (signal) => {
            const response = await fetch(source, { headers, signal });
            const text = await response.text();
            if (response.status === 304) return "unchanged";
            if (!response.ok) throw new Error(`it answered with status ${response.status}`);
            const newer = response.headers.get("etag");
            return { catalogue: JSON.parse(text), ...(newer && { etag: newer }) };
        });
    } catch (error) {
        throw unusable(source, messageOf(error), error);
    }
}

function toStored(
    answer: Answer | "unchanged",
    source: string,
    names: ReadonlyMap<string, string>,
    at: string
): StoredCatalogue {
    const { catalogue, etag } = answer === "unchanged" ? { catalogue: undefined } : answer;
    const read = readCatalogue(catalogue, names, { source, asOf: at.slice(0, 10) });
    if (read === undefined) throw unusable(source, "it is not a model catalogue");
    const times = { fetchedAt: at, checkedAt: at };
    return {
        version: 1,
        source,
        ...(etag && { etag }),
        ...times,
        providers: [...names.keys()],
        ...read,
    };
}

function unusable(source: string, reason: string, cause?: unknown): NorthError {
    const sentence = `The catalogue at ${source} could not be read: ${reason}`.replace(
        /[^.]$/,
        "$&."
    );
    return new NorthError(
        "catalogue-unusable",
        sentence,
        [
            "Try again later; until then North uses the prices it has.",
            "`modelCatalogue` in config.json names another source.",
        ],
        { cause }
    );
}

function differences(
    providers: readonly Provider[],
    { models, source }: StoredCatalogue
): readonly Difference[] {
    return models.flatMap(({ provider: id, model }) => {
        const provider = providers.find((each) => each.id === id);
        const own = provider?.models.find((each) => each.id === model.id)?.prices;
        if (!own || own.source === source) return [];
        const isEqual = own.input === model.prices.input && own.output === model.prices.output;
        return isEqual ? [] : [{ model: `${id}/${model.id}`, own, catalogue: model.prices }];
    });
}

/** What was read, what is not used, and where the catalogue and North disagree. */
export function catalogueSentences({
    source,
    fetchedAt,
    isUnchanged,
    modelCount,
    different,
    refused,
}: RefreshedCatalogue): string {
    const day = fetchedAt.slice(0, 10);
    const since = isUnchanged ? `unchanged since ${day}` : `read on ${day}`;
    const used = "They fill in what North does not know, as unconfirmed prices.";
    const rows = different.map(
        ({ model, own, catalogue }) =>
            `  ${model}: ${pair(own)} (${own.asOf}${own.isUnconfirmed ? ", unconfirmed" : ""}), in the catalogue ${pair(catalogue)}`
    );
    return [
        `${counted(modelCount, "model")} in ${source}, ${since}. ${used}`,
        ...(rows.length === 0
            ? []
            : ["North keeps its own prices; `models` in config.json changes them:", ...few(rows)]),
        ...(refused.length === 0 ? [] : ["Not used:", ...few(refused.map((why) => `  ${why}`))]),
    ].join("\n");
}

const pair = ({ input, output }: Prices) => `$${input} and $${output}`;

function few(rows: readonly string[]): readonly string[] {
    const more = rows.length - MAX_ROWS;
    return more > 0 ? [...rows.slice(0, MAX_ROWS), `  and ${more} more (--json)`] : rows;
}
