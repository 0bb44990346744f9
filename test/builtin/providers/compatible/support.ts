import { connect } from "../../../../src/builtin/providers/compatible/connect.js";
import type { CompatibleDefinition } from "../../../../src/builtin/providers/compatible/definition.js";
import { describeModel } from "../../../../src/builtin/providers/compatible/definition.js";
import type { ModelConnection, ModelRequest } from "../../../../src/plugin/index.js";
import { collect as collectFrom, requestWith as anyRequestWith } from "../support.js";
import { PATIENCE_MS } from "../../../helpers/patience.js";

/** Far more than loopback needs. */
export const LIMITS = { requestMs: PATIENCE_MS, silenceMs: PATIENCE_MS };

export const definition: CompatibleDefinition = {
    name: "house",
    displayName: "The house server",
    baseURL: "http://127.0.0.1:1/v1",
};

export function requestWith(changes: Partial<ModelRequest> = {}): ModelRequest {
    return anyRequestWith({ model: describeModel(definition, "llama3:8b"), ...changes });
}

export function collect(connection: ModelConnection, request = requestWith()) {
    return collectFrom(connection, request, undefined, "house");
}

export function connectTo(baseURL: string, limits = LIMITS): Promise<ModelConnection> {
    return connect(definition, { baseURL }, limits);
}
