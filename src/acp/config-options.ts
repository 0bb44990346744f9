import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { NorthError } from "../base/north-error.js";
import { thinkingWords } from "../core/registry/thinking.js";
import type { Session } from "../core/session.js";
import { MODE_IDS, MODES } from "../plugin/modes.js";

export function modesOf(session: Session): SessionModeState {
    return {
        currentModeId: session.services.session.mode.current(),
        availableModes: MODES.map((mode) => ({ ...mode })),
    };
}

export function selectMode(session: Session, id: string): void {
    const mode = MODES.find((known) => known.id === id);
    if (!mode) throw unknown(`mode ${id}`, MODE_IDS.join(", "));
    session.services.session.mode.select(mode.id);
}

export async function configOptions(session: Session): Promise<SessionConfigOption[]> {
    const settings = session.services.session;
    const current = settings.models.current();
    const known = await settings.models.list();
    const models = known
        .filter(({ hasKey, model }) => hasKey || model === current)
        .map(({ model, provider }) => ({ model, value: `${provider}/${model.id}` }));
    const selected = models.find(({ model }) => model === current)?.value ?? current.id;
    const isListed = models.some(({ value }) => value === selected);
    const words = thinkingWords(current);
    const mode = {
        ...select("mode", "Mode", "mode", settings.mode.current()),
        options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
    };
    const model = {
        ...select("model", "Model", "model", selected),
        options: [
            ...(isListed ? [] : [{ value: selected, name: current.displayName }]),
            ...models.map(({ value, model }) => ({ value, name: model.displayName })),
        ],
    };
    const thinking = {
        ...select("thinking", "Thinking", "thought_level", session.status().thinking),
        options: words.map((word) => ({ value: word, name: word })),
    };
    return words.length < 2 ? [mode, model] : [mode, model, thinking];
}

function select(id: string, name: string, category: string, currentValue: string) {
    return { id, name, category, type: "select" as const, currentValue };
}

export async function selectOption(session: Session, id: string, value: unknown): Promise<void> {
    if (typeof value !== "string") throw unknown(`value of ${id}`, "one of its options");
    if (id === "mode") return selectMode(session, value);
    if (id === "model") return void (await session.services.session.models.select(value));
    if (id === "thinking") return void session.services.session.thinking.select(value);
    throw unknown(`option ${id}`, "mode, model and thinking");
}

function unknown(what: string, known: string): NorthError {
    return new NorthError("unknown-option", `There is no ${what}.`, [`There are ${known}.`]);
}
