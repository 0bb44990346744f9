import { connect } from "../../../../src/builtin/providers/openai/connect.js";
import { openai } from "../../../../src/builtin/providers/openai/index.js";
import type { ModelConnection, ModelInfo, ModelRequest } from "../../../../src/plugin/index.js";
import { collect as collectFrom, requestWith as anyRequestWith } from "../support.js";
import { PATIENCE_MS } from "../../../helpers/patience.js";

/** Far more than loopback needs. */
export const LIMITS = { requestMs: PATIENCE_MS, silenceMs: PATIENCE_MS };

export function modelNamed(id: string): ModelInfo {
    const model = openai.describe?.(id);
    if (model === undefined) throw new Error(`No model ${id}`);
    return model;
}

export function requestWith(changes: Partial<ModelRequest> = {}): ModelRequest {
    return anyRequestWith({ model: modelNamed("gpt-6.2-sol"), ...changes });
}

export function collect(connection: ModelConnection, request = requestWith()) {
    return collectFrom(connection, request, undefined, "openai");
}

export function connectTo(baseURL: string, limits = LIMITS): Promise<ModelConnection> {
    return connect({ apiKey: "test-key", baseURL }, limits);
}
