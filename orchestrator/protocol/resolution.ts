/** `ICollaborationContract.Resolution`, the data of RESOLVE_APPEAL: one ruling on all open appeals of an attempt (decisions 29). */
export const RESOLUTION = [
  {
    type: "tuple",
    components: [
      { name: "attempt", type: "uint8" },
      { name: "filed", type: "uint8" },
      { name: "upheld", type: "uint16" },
      { name: "share", type: "uint16" },
      { name: "slash", type: "uint64" },
      { name: "culprits", type: "uint8" },
    ],
  },
] as const;
