import { Play } from "../play/Play";
import { kind } from "./kind";

export default kind(Play, "Simulation");
