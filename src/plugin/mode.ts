/** Ask mode has the read-only tools, agent mode all of them. */
export type Mode = "ask" | "agent";
