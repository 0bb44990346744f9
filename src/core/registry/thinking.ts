import type { ModelInfo, ModelRequest, ThinkingChoice } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";

export function thinkingFor(
    model: ModelInfo,
    { on, effort }: ThinkingChoice
): Pick<ModelRequest, "thinking" | "effort"> {
    if (!on || model.thinking === undefined) return { thinking: false };
    const isKnown = effort !== undefined && model.efforts?.includes(effort);
    return { thinking: true, ...(isKnown ? { effort } : {}) };
}

/** Resolves `on`, `off` or an effort for a model. Throws `no-thinking`. */
export function chooseThinking(setting: string, model: ModelInfo): ThinkingChoice {
    const word = setting.trim().toLowerCase();
    if (word === "off") return { on: false };
    if (model.thinking === undefined) {
        throw new NorthError("no-thinking", `${model.displayName} has no thinking setting.`, [
            "`north models` shows which models have one.",
        ]);
    }
    if (word === "on") return { on: true };
    const effort = model.efforts?.find((each) => each === word);
    if (effort !== undefined) return { on: true, effort };
    throw new NorthError(
        "no-thinking",
        `${model.displayName} has no thinking level "${setting.trim()}".`,
        [`It takes: ${thinkingWords(model).join(", ")}.`]
    );
}

export function thinkingWords(model: ModelInfo): readonly string[] {
    return model.thinking === undefined ? ["off"] : ["on", "off", ...(model.efforts ?? [])];
}

/** `off`, `on` or an effort such as `high`. */
export function thinkingWord(model: ModelInfo, choice: ThinkingChoice): string {
    const { thinking, effort } = thinkingFor(model, choice);
    return thinking ? (effort ?? "on") : "off";
}
