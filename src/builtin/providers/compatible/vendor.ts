import type { Vendor } from "../../../provider-kit/failures.js";
import type { CompatibleDefinition } from "./definition.js";

/** The server, as failures name it. */
export function toVendor(definition: CompatibleDefinition): Vendor {
    const { name, displayName = name, keyVariable, baseURLVariable, baseURL } = definition;
    return { id: name, name: displayName, keyVariable, baseURLVariable, baseURL };
}
