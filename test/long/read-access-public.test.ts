import { whoReadsWhat } from "../gateway/read-access-suite.ts";

whoReadsWhat("public");
