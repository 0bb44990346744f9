import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { namesHeaders } from "./header-names.js";
import { isRecord, type JsonRecord } from "./json.js";
import type { Offers, PromptOffer, ToolOffer } from "./stored.js";

const LIST_MS = 30_000;
/** Bounds a server whose list never ends. */
const MAX_PAGES = 1_000;
const MAX_OFFERS = 10_000;
const MAX_CHARACTERS = 10 * 1024 ** 2;
/** Far below the thousands of levels where JSON and what walks a schema run out of stack. */
const MAX_LEVELS = 500;

/** Accepts any object: the SDK's own schemas reject a whole list for one bad entry. */
const ANY_RESULT: StandardSchemaV1<unknown, JsonRecord> = {
    "~standard": {
        version: 1,
        vendor: "north",
        validate: (value) =>
            isRecord(value) ? { value } : { issues: [{ message: "not an object" }] },
    },
};

export async function listOffers(client: Client): Promise<Offers> {
    const capabilities = client.getServerCapabilities();
    const skipped: string[] = [];
    const tools = capabilities?.tools ? await pages(client, "tools", skipped) : [];
    const isNewer = client.getProtocolEra() === "modern";
    const callable = (tool: ToolOffer) => !isNewer || namesHeaders(tool.inputSchema);
    // A server is still useful without its prompts.
    const prompts = capabilities?.prompts
        ? await pages(client, "prompts", skipped).catch(() => [])
        : [];
    return {
        tools: firstOfEachName(tools.flatMap(toolOf)).filter(callable),
        prompts: firstOfEachName(prompts.flatMap(promptOf)),
        hasResources: capabilities?.resources !== undefined,
        ...(skipped.length > 0 && { skipped }),
    };
}

/** Adds the names of entries that are nested too deeply to `skipped`. */
async function pages(
    client: Client,
    field: "tools" | "prompts",
    skipped: string[]
): Promise<readonly JsonRecord[]> {
    const found: JsonRecord[] = [];
    const seen = new Set<string>();
    let cursor: unknown;
    let characters = 0;
    for (let page = 0; page < MAX_PAGES && found.length + skipped.length < MAX_OFFERS; page += 1) {
        const answer = await client.request(
            { method: `${field}/list`, params: cursor === undefined ? {} : { cursor } },
            ANY_RESULT,
            { timeout: LIST_MS }
        );
        const entries: readonly unknown[] = Array.isArray(answer[field]) ? answer[field] : [];
        const records = entries.filter(isRecord);
        const items = records.filter((entry) => !isTooDeep(entry));
        const names = records.filter(isTooDeep).map(({ name }) => name);
        skipped.push(...names.filter((name) => typeof name === "string"));
        characters += JSON.stringify(items).length;
        if (characters > MAX_CHARACTERS) break;
        for (const item of items) found.push(item);
        cursor = answer.nextCursor;
        if (typeof cursor !== "string" || seen.has(cursor)) break;
        seen.add(cursor);
    }
    return found.slice(0, MAX_OFFERS);
}

function isTooDeep(entry: JsonRecord): boolean {
    let level: readonly unknown[] = [entry];
    for (let depth = 0; level.length > 0; depth += 1) {
        if (depth > MAX_LEVELS) return true;
        level = level.flatMap((value) =>
            typeof value === "object" && value !== null ? Object.values(value) : []
        );
    }
    return false;
}

/** Servers know an offer by its name, so another of that name, or one without, cannot be reached. */
function firstOfEachName<Offer extends { readonly name: string }>(
    offers: readonly Offer[]
): readonly Offer[] {
    const taken = new Set([""]);
    return offers.filter(({ name }) => !taken.has(name) && taken.add(name));
}

/** Skips tools that require tasks, which North does not support. */
function toolOf(tool: unknown): ToolOffer[] {
    if (!isRecord(tool) || typeof tool.name !== "string") return [];
    const { name, description, inputSchema, annotations, execution } = tool;
    if (isRecord(execution) && execution.taskSupport === "required") return [];
    return [
        {
            name,
            description: typeof description === "string" ? description : "",
            inputSchema: { ...(isRecord(inputSchema) ? inputSchema : {}), type: "object" },
            isReadOnly: isRecord(annotations) && annotations.readOnlyHint === true,
        },
    ];
}

function promptOf(prompt: unknown): PromptOffer[] {
    if (!isRecord(prompt) || typeof prompt.name !== "string") return [];
    const { name, description } = prompt;
    const fields: unknown[] = Array.isArray(prompt.arguments) ? prompt.arguments : [];
    return [
        {
            name,
            description: typeof description === "string" ? description : "",
            arguments: fields.flatMap((field) =>
                isRecord(field) && typeof field.name === "string"
                    ? [{ name: field.name, isRequired: field.required === true }]
                    : []
            ),
        },
    ];
}
