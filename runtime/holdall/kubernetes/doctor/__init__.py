"""doctor: present and future problems of existing CRDs, with or without their project."""

from holdall.kubernetes.doctor.examination import Diagnosis, examine

__all__ = ["Diagnosis", "examine"]
