import { createDoctorCommand } from './operator/doctor/doctor.ts'

export const doctorCommand = createDoctorCommand(process.env)

if (import.meta.main) await doctorCommand.parseAsync()
