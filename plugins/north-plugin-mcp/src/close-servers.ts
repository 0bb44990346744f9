import { closeAll } from "./open-connections.js";

/** oclif's last hook: the command is done, and its servers end with it. */
export default async function closeServers(): Promise<void> {
    closeAll();
}
