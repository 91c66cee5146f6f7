"""doctor: what is wrong, or will be, with CRDs that exist; from them alone, or with a project."""

from holdall.kubernetes.doctor.examination import Diagnosis, examine

__all__ = ["Diagnosis", "examine"]
